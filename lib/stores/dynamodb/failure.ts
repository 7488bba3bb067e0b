import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { StoreUnavailableError } from '../../idempotency/errors.ts';
import type { Item } from './item.ts';

/** AWS errors are known by their name: with two copies of the SDK in a bundle `instanceof` is false. */
interface AwsError {
  readonly name: string;
  readonly message: string;
  readonly Item?: Marshalled;
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Marshalled }[];
}

/** In DynamoDB's own notation: the document client does not translate errors. */
type Marshalled = Record<string, AttributeValue>;

/** A condition that failed, with the item that it met where the engine returned one. */
export interface FailedCondition {
  /** Position among the actions of the request. */
  readonly action: number;
  readonly item?: Item;
}

export type Failure =
  /** Definite: nothing was written. */
  | { readonly kind: 'conditions'; readonly failed: readonly [FailedCondition, ...FailedCondition[]] }
  /** Definite: another transaction held an item; nothing was written, and the same request may succeed next. */
  | { readonly kind: 'conflict' }
  /** An earlier attempt of this very transaction is still under way. */
  | { readonly kind: 'in-progress' }
  /** Everything else: the outcome is unknown. */
  | { readonly kind: 'unavailable' };

/** What an error of the SDK proves. */
export function classify(error: unknown): Failure {
  const { name, Item, CancellationReasons = [] } = error as AwsError;
  switch (name) {
    case 'ConditionalCheckFailedException':
      return { kind: 'conditions', failed: [failedCondition(0, Item)] };
    case 'TransactionConflictException':
      return { kind: 'conflict' };
    case 'TransactionInProgressException':
      return { kind: 'in-progress' };
    case 'TransactionCanceledException':
      return classifyCancellation(CancellationReasons);
    default:
      return { kind: 'unavailable' };
  }
}

function classifyCancellation(reasons: NonNullable<AwsError['CancellationReasons']>): Failure {
  const codes = new Set(reasons.map(({ Code = 'None' }) => Code));
  if (codes.has('TransactionConflict')) return { kind: 'conflict' };
  const failed = reasons.flatMap(({ Code, Item }, action) =>
    Code === 'ConditionalCheckFailed' ? [failedCondition(action, Item)] : [],
  );
  codes.delete('None');
  codes.delete('ConditionalCheckFailed');
  const [first, ...rest] = failed;
  // A reason of another kind, for example throttling, leaves open what the rest of the conditions would have said.
  if (first === undefined || codes.size > 0) return { kind: 'unavailable' };
  return { kind: 'conditions', failed: [first, ...rest] };
}

const failedCondition = (action: number, item: Marshalled | undefined): FailedCondition =>
  item === undefined ? { action } : { action, item: unmarshall(item) };

const THROTTLED = 'The table is throttled: retry later with the same key, and raise its capacity if this goes on.';
const FORBIDDEN = 'Grant the function access to the table and its index, and check its credentials.';

/** What to do, by the name of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDeniedException: FORBIDDEN,
  UnrecognizedClientException: FORBIDDEN,
  CredentialsProviderError: FORBIDDEN,
  ResourceNotFoundException: 'Deploy the table, and check the configured table name, region and endpoint.',
  ValidationException:
    'The table or the item does not fit: check the key schema and the index, and that no item exceeds 400 kB.',
  IdempotentParameterMismatchException: 'Two transactions used one token: the injected ids must be fresh and random.',
  ProvisionedThroughputExceededException: THROTTLED,
  RequestLimitExceeded: THROTTLED,
  ThrottlingException: THROTTLED,
  TransactionCanceledException: THROTTLED,
};
const DEFAULT_ADVICE = 'It is unknown whether a write took effect: retry later with the same key.';

export function unavailable(cause: unknown, tableName: string): StoreUnavailableError {
  const { name, message } = cause as AwsError;
  return new StoreUnavailableError(
    `DynamoDB table "${tableName}": ${name}: ${message}. ${ADVICE[name] ?? DEFAULT_ADVICE}`,
    { cause },
  );
}
