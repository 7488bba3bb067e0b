import type { Outcome } from '../lambda/outcome.ts';
import { isObject } from '../template/json.ts';

/**
 * Which messages of a batch a function has failed; the others are done.
 *
 * An empty or absent list is success; whatever names no message of the batch fails all of it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function failedMessages(
  outcome: Outcome,
  messageIds: readonly string[],
  reportsFailures: boolean,
): ReadonlySet<string> {
  const all = new Set(messageIds);
  if (outcome.kind !== 'returned') return all;
  if (!reportsFailures) return new Set();
  const result: unknown = JSON.parse(outcome.payload);
  if (result === null) return new Set();
  if (!isObject(result)) return all;
  const failures = result['batchItemFailures'] ?? [];
  if (!Array.isArray(failures)) return all;
  const ids = failures.map((failure: unknown) => (isObject(failure) ? failure['itemIdentifier'] : undefined));
  const named = ids.filter((id): id is string => typeof id === 'string' && all.has(id));
  return named.length < ids.length ? all : new Set(named);
}
