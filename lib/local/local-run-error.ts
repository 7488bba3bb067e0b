export type LocalRunErrorCode =
  | 'assembly-unreadable'
  | 'template-unsupported'
  | 'setting-invalid'
  | 'port-in-use'
  | 'engine-missing'
  | 'engine-failed'
  | 'provider-failed';

/** Something that the person who started the local run can put right; the message says how. */
export class LocalRunError extends Error {
  readonly code: LocalRunErrorCode;

  constructor(code: LocalRunErrorCode, message: string) {
    super(message);
    this.name = 'LocalRunError';
    this.code = code;
  }
}
