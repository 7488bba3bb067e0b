import { type Answer, headerOf } from './answer.ts';

/** A human is waiting: the first retry comes within half a second. */
const BACKOFF_MS_FIRST = 500;
/** Long enough to leave a struggling service alone, short enough that a customer still looks at the screen. */
const BACKOFF_MS_MAX = 10_000;
/** A server that asks for more is asked again after this; later is what `resume` is for. */
const RETRY_AFTER_MS_MAX = 60_000;

const SECONDS = /^\d+$/;
/** The only form of a date that senders may make (RFC 9110, section 5.6.7). `Date.parse` alone takes nearly anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long to wait before the next attempt: what the server asked for, and full jitter on top, so that clients that
 * failed together do not come back together.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function waitMs(retry: number, answer: Answer | undefined, now: number, random: number): number {
  const ceiling = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** retry);
  return (answer === undefined ? 0 : retryAfterMs(answer, now)) + random * ceiling;
}

/** RFC 9110, section 10.2.3. A value that cannot be meant asks for nothing. */
function retryAfterMs(answer: Answer, now: number): number {
  const value = headerOf(answer, 'retry-after')?.trim() ?? '';
  if (SECONDS.test(value)) return Math.min(RETRY_AFTER_MS_MAX, Number(value) * 1000);
  // Both dates are the server's, so that this device's clock does not matter where `Date` can be read.
  const from = dateOf(headerOf(answer, 'date')) ?? now;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(0, (dateOf(value) ?? from) - from));
}

function dateOf(value: string | undefined): number | undefined {
  if (value === undefined || !HTTP_DATE.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}
