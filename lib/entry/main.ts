/** What the package exports as `.`: the middleware, and what an effect or a store of one's own is written against. */
import type { MiddlewareObj } from '@middy/core';
import type { HttpResult } from '../http/result.ts';
import type { JsonObject } from '../idempotency/json.ts';
import { serviceable } from '../idempotency/policies.ts';
import { type IdempotencyOptions, idempotency as withAmbient } from '../middy/idempotency.ts';
import { systemAmbient } from '../runtime/ambient.ts';
import { type MemoryStoreOptions, memoryStore as memoryStoreOf } from '../stores/memory.ts';

export type { CorsOptions } from '../http/cors.ts';
export type { HttpEvent } from '../http/exchange.ts';
export { jwtPrincipal, type PrincipalOptions, type PrincipalReader, verifiedPrincipal } from '../http/principal.ts';
export type { HttpResult } from '../http/result.ts';
export type { FieldRules } from '../idempotency/body-fields.ts';
export type { Outcome, StoredResponse } from '../idempotency/claim.ts';
export type { Effect, EffectCall, Evidence, Facts } from '../idempotency/effect.ts';
export { ChiptaError, MisuseError, StoreUnavailableError } from '../idempotency/errors.ts';
export type { Problem, ProblemType } from '../idempotency/problems.ts';
export type { ProtocolEvent } from '../idempotency/protocol.ts';
export type { DomainWrite, Store } from '../idempotency/store.ts';
export type { Ambient } from '../idempotency/time.ts';
export { type DeduplicateOptions, deduplicate, type JobReading } from '../middy/deduplicate.ts';
export type { IdempotencyOptions, OperationContext, PrincipalFinder } from '../middy/idempotency.ts';
export { once } from '../middy/once.ts';
export { problemErrors } from '../middy/problem-errors.ts';

type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

/**
 * Runs a handler at most once for one principal, one `Idempotency-Key` and one unchanged request, and gives every
 * retry the first answer, byte for byte.
 *
 * @example
 * middy()
 *   .use(idempotency({ store: dynamoDbStore({ tableName }), docsBase: 'https://api.example.com' }))
 *   .handler(async () => ({ statusCode: 201, body: '{"booked":true}' }));
 */
export const idempotency = <C extends JsonObject = JsonObject>(
  options: Optional<IdempotencyOptions<C>, 'ambient'>,
): MiddlewareObj<unknown, HttpResult> => withAmbient({ ambient: systemAmbient, ...serviceable(options) });

/** A store in the memory of one process, for tests and demonstrations. */
export const memoryStore = (options: Partial<MemoryStoreOptions> = {}) =>
  memoryStoreOf({ now: systemAmbient.now, ...options });
