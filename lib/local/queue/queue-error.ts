/** What SQS refuses; the code is its exception's name. */
export type QueueErrorCode =
  | 'QueueDoesNotExist'
  | 'InvalidParameterValue'
  | 'MissingParameter'
  | 'ReceiptHandleIsInvalid'
  | 'MessageNotInflight'
  | 'EmptyBatchRequest'
  | 'TooManyEntriesInBatchRequest'
  | 'BatchEntryIdsNotDistinct'
  | 'UnsupportedOperation';

export class QueueError extends Error {
  readonly code: QueueErrorCode;

  constructor(code: QueueErrorCode, message: string) {
    super(message);
    this.name = 'QueueError';
    this.code = code;
  }
}

export const invalidValue = (parameter: string, reason: string): QueueError =>
  new QueueError('InvalidParameterValue', `Value for parameter ${parameter} is invalid. Reason: ${reason}.`);

export const missing = (parameter: string): QueueError =>
  new QueueError('MissingParameter', `The request must contain the parameter ${parameter}.`);
