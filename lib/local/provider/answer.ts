import type { JsonObject } from '../../idempotency/json.ts';

/** What goes back to a caller: as it is sent, and as it is remembered under an idempotency key. */
export type Answer = {
  readonly status: number;
  readonly body: JsonObject;
  /** Stripe's advice to its clients, in the header `Stripe-Should-Retry`. */
  readonly shouldRetry?: boolean;
};

export const ok = (body: JsonObject): Answer => ({ status: 200, body });

const failure = (status: number, error: JsonObject, shouldRetry?: boolean): Answer => ({
  status,
  body: { error },
  ...(shouldRetry === undefined ? {} : { shouldRetry }),
});

/** A request that is wrong in itself. */
export const invalid = (message: string, details: JsonObject = {}, status = 400): Answer =>
  failure(status, { type: 'invalid_request_error', message, ...details });

/** A payment that was attempted and refused by the card's issuer. */
export const cardError = (error: JsonObject): Answer => failure(402, error);

export const unauthorized: Answer = invalid(
  "You did not provide an API key. Send it as 'Authorization: Bearer sk_test_...'; any secret that starts with sk_ will do here.",
  {},
  401,
);

export const tooLarge: Answer = invalid('The request body is too large.', {}, 413);

export const notFound = (method: string, path: string): Answer =>
  invalid(`Unrecognized request URL (${method}: ${path}).`, {}, 404);

export const noSuchIntent = (id: string): Answer =>
  invalid(`No such payment_intent: '${id}'`, { code: 'resource_missing', param: 'intent' }, 404);

export const rateLimited: Answer = failure(
  429,
  { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
  true,
);

/** `stored` tells whether the answer will be replayed, in which case a retry is in vain. */
export const serverError = (stored: boolean): Answer =>
  failure(500, { type: 'api_error', message: 'An unexpected error occurred.' }, !stored);

export const keyReused: Answer = failure(
  400,
  {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the endpoint and parameters they were first used with.',
  },
  false,
);

export const keyInUse: Answer = failure(
  409,
  {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this idempotency key.',
  },
  true,
);
