/**
 * - `request-invalid`: the request or the key can never be sent as it is.
 * - `request-changed`: another request is kept under this name and is not settled yet.
 * - `storage-failed`: the storage refused, so nothing was sent.
 * - `record-unreadable`: what is kept under this name was not written by this version.
 * - `intention-forgotten`: it was forgotten, here or in another tab; open the name again.
 * - `outcome-unknown`: an intention that may have happened cannot be forgotten.
 */
export type IntentionErrorCode =
  | 'request-invalid'
  | 'request-changed'
  | 'storage-failed'
  | 'record-unreadable'
  | 'intention-forgotten'
  | 'outcome-unknown';

/** The only error that the client throws; dispatch on `code`. What may have happened is a result, never an error. */
export class IntentionError extends Error {
  override readonly name = 'IntentionError';
  readonly code: IntentionErrorCode;

  constructor(code: IntentionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
