import type { AnswerPolicy, Keep, On5xx } from './answer-policy.ts';
import { MisuseError } from './errors.ts';
import { RETENTION_MS_DEFAULT } from './protocol.ts';

const MINUTE_MS = 60 * 1_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A retry may come after its client's own time-out, so a key that is forgotten sooner protects nobody. */
const RETENTION_MS_MIN = MINUTE_MS;

/** The longest that anybody asks of a key (a month of disputes and a margin); stored answers are paid for by the month. */
const RETENTION_MS_MAX = 45 * DAY_MS;

/** HTTP APIs give up after 30 s and REST APIs after 29 s; the answer has to leave before. */
const WAIT_MS_MAX = 25_000;

/** What a route makes of its keys. */
export interface PolicyOptions {
  /**
   * Which answers of a plain handler are kept for its retries; the key of any other is released.
   *
   * - `final`: everything below 500 but 408 and 429. A retry after a failure of the server runs the handler again.
   * - `everything`: whatever the handler answered, 5xx included, as version 1 of Stripe's API does. Nothing ever runs
   *   twice under one key, and a passing failure is the answer for good: a new attempt needs a new key.
   * - `success`: 2xx only. A client may mend a refused request and send it again under its key, and a handler that took
   *   effect before it answered 4xx takes effect again.
   *
   * 408 is never kept or released: a handler that timed out is still running. The answers of an `effect` are always kept.
   * @default 'final'
   */
  readonly keep?: Keep;
  /**
   * What becomes of the key of a plain handler that fails with 5xx or throws. With `release` a retry may succeed, and an
   * effect made before the failure can repeat; with `store` it cannot, and the failure is final. `keep` says it already
   * for `everything` (`store`) and `success` (`release`).
   * @default 'release'
   */
  readonly on5xx?: On5xx;
  /**
   * How long a settled key is remembered, in milliseconds: 1 minute to 45 days. A key that comes back later runs again,
   * so it must outlast every client's last retry; what it costs is the storage of the answers.
   * @default 24 hours
   */
  readonly retentionMs?: number;
  /**
   * Status for a key that comes back with another request. The draft of the header asks for 422; 409 and 400 are what
   * some existing clients know how to handle.
   * @default 422
   */
  readonly mismatchStatus?: 400 | 409 | 422;
  /**
   * How long a request waits for another one with its key before it is answered 409, in milliseconds, up to 25,000. It
   * spares the client a retry; each waiting request keeps an execution environment busy and reads the key every second.
   * @default 0: 409 at once
   */
  readonly waitMs?: number;
  /**
   * Bytes of finished answers that each execution environment keeps in its memory. A replay that finds its answer there
   * asks the store nothing; a claim that an operator deletes by hand is still answered from there until it expires.
   * @default 0: none
   */
  readonly cacheBytes?: number;
}

export interface Policies extends AnswerPolicy {
  readonly retentionMs: number;
  readonly mismatchStatus: number;
  readonly waitMs: number;
  readonly cacheBytes: number;
}

const ON_5XX = { final: 'release', everything: 'store', success: 'release' } as const satisfies Record<Keep, On5xx>;

const MISMATCH_STATUSES: readonly number[] = [400, 409, 422];

/** The policies of a route, complete. @throws MisuseError for what cannot be meant */
export function policiesOf(options: PolicyOptions): Policies {
  const { keep = 'final', retentionMs = RETENTION_MS_DEFAULT, mismatchStatus = 422, waitMs = 0 } = options;
  const { on5xx = ON_5XX[keep], cacheBytes = 0 } = options;
  oneOf('keep', keep, Object.keys(ON_5XX));
  oneOf('on5xx', on5xx, Object.values(ON_5XX));
  oneOf('mismatchStatus', mismatchStatus, MISMATCH_STATUSES);
  if (keep !== 'final' && on5xx !== ON_5XX[keep])
    throw new MisuseError(`keep: '${keep}' and on5xx: '${on5xx}' contradict each other. Leave one of them out.`);
  inRange('retentionMs', retentionMs, 1, RETENTION_MS_MAX);
  inRange('waitMs', waitMs, 0, WAIT_MS_MAX);
  inRange('cacheBytes', cacheBytes, 0, Number.MAX_SAFE_INTEGER);
  return { keep, on5xx, retentionMs, mismatchStatus, waitMs, cacheBytes };
}

/** What a service may be set up with: keys that are forgotten within seconds are for demonstrations. */
export function serviceable<T extends PolicyOptions>(options: T): T {
  const { retentionMs = RETENTION_MS_DEFAULT } = options;
  inRange('retentionMs', retentionMs, RETENTION_MS_MIN, RETENTION_MS_MAX);
  return options;
}

function oneOf(name: keyof PolicyOptions, value: unknown, values: readonly unknown[]): void {
  if (!values.includes(value))
    throw new MisuseError(`${name} must be one of ${[...new Set(values)].join(', ')}; it is ${value}.`);
}

function inRange(name: keyof PolicyOptions, value: number, min: number, max: number): void {
  if (!(value >= min && value <= max))
    throw new MisuseError(`${name} must be a number from ${min} to ${max}; it is ${value}.`);
}
