/** What the package exports as `./client`: the retrying client, for browsers and Node; nothing here is Node's. */
import type { Ambient } from '../client/ambient.ts';
import { type Intentions, type IntentionsOptions, intentions as intentionsOf } from '../client/intentions.ts';
import { systemAmbient } from '../client/system.ts';

export type { Ambient } from '../client/ambient.ts';
export { IntentionError, type IntentionErrorCode } from '../client/errors.ts';
export type {
  AnsweredIntention,
  Intention,
  IntentionResult,
  SendOptions,
  UnknownIntention,
} from '../client/intention.ts';
export type { Intentions, IntentionsOptions } from '../client/intentions.ts';
export { memoryStorage } from '../client/memory-storage.ts';
export type { HeaderFields, IntentionRequest } from '../client/request.ts';
export type { UnknownReason } from '../client/send.ts';
export type { IntentionStorage } from '../client/storage.ts';
export { type WebArea, type WebLocks, type WebStorageOptions, webStorage } from '../client/web-storage.ts';

/**
 * Keeps one key for each intention, from before the first attempt until the answer is final, over lost answers, retries
 * and reloads.
 *
 * @example
 * const payments = intentions({ storage: webStorage() });
 * const payment = await payments.open(`checkout:${orderId}`, { url: '/payments', body: { orderId, amount: 100_000 } });
 * const result = await payment.send();
 * if (result.kind === 'answered') showReceipt(await result.response.json());
 */
export const intentions = (options: Omit<IntentionsOptions, keyof Ambient> & Partial<Ambient>): Intentions =>
  intentionsOf({ ...systemAmbient, ...options });
