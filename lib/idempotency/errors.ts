/** Base of every error thrown by this library; dispatch on `code`, never on the name or message. */
export abstract class ChiptaError extends Error {
  abstract readonly code: string;
}

/** The store did not answer or refused to: the outcome of a write that ends so is unknown. */
export class StoreUnavailableError extends ChiptaError {
  readonly code = 'store-unavailable';
}

/** The middleware was set up in a way that cannot be safe; thrown at start-up or at first use, never swallowed. */
export class MisuseError extends ChiptaError {
  readonly code = 'misuse';
}
