import type { Ambient } from './ambient.ts';
import { type Answer, readAnswer } from './answer.ts';
import type { Kept } from './kept.ts';
import { type HeaderFields, initOf } from './request.ts';
import { isRemembered, type Retention } from './retention.ts';
import { verdictOf } from './verdict.ts';
import { waitMs } from './wait.ts';
import { within } from './within.ts';

/** The deadline ends a send long before; this ends it where the clock is set back meanwhile. */
const ATTEMPTS_MAX = 100;

export interface SendPorts extends Ambient, Retention {
  readonly headers: () => HeaderFields | Promise<HeaderFields>;
  readonly timeoutMs: number;
}

export interface SendLimits {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/**
 * Why the outcome is not known.
 *
 * - `deadline`, `attempts`, `aborted`: there was no final answer before the end.
 * - `refused`: the last attempt was not let in (401, 403, …), and an earlier one may have been.
 * - `under-review`: an operator has to look.
 * - `too-old`: the server may have forgotten the key, so that a retry could be a second payment.
 */
export type UnknownReason = 'deadline' | 'attempts' | 'aborted' | 'refused' | 'under-review' | 'too-old';

/** What the last attempt ended with: an answer, or an error; neither, when none was made. */
interface Last {
  readonly answer?: Answer;
  readonly cause?: unknown;
}

export type Ending =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | ({ readonly kind: 'unknown'; readonly reason: UnknownReason } & Last);

type Step = Ending | ({ readonly kind: 'again' } & Last);

/** Sends the kept request under its key until an answer is final or nothing more may be tried. */
export async function sendUntilFinal(ports: SendPorts, kept: Kept, limits: SendLimits): Promise<Ending> {
  const { now, random, sleep } = ports;
  const { signal } = limits;
  const end = now() + limits.deadlineMs;
  const leftMs = (): number => end - now();
  let last: Last = {};
  const unknown = (reason: UnknownReason): Ending => ({ ...last, kind: 'unknown', reason });

  for (let retry = 0; retry < ATTEMPTS_MAX; retry += 1) {
    const ended = endOf(ports, kept);
    if (ended !== undefined) return ended;
    if (signal.aborted) return unknown('aborted');
    if (leftMs() <= 0) return unknown('deadline');

    const step = await attempt(ports, kept, () => Math.max(0, Math.min(ports.timeoutMs, leftMs())), signal);
    if (step.kind !== 'again') return step;
    last = step;

    const wait = waitMs(retry, last.answer, now(), random());
    if (!signal.aborted && wait >= leftMs()) return unknown('deadline');
    await sleep(wait, signal);
  }
  return unknown('attempts');
}

/** Whether the record alone forbids another attempt. */
function endOf(ports: SendPorts, { record }: Kept): Ending | undefined {
  if (record.state === 'settled') return { kind: 'answered', answer: record.answer };
  const isTooOld = record.state === 'sent' && !isRemembered(record.sentAt, ports.now(), ports);
  return isTooOld ? { kind: 'unknown', reason: 'too-old' } : undefined;
}

async function attempt(ports: SendPorts, kept: Kept, timeoutMs: () => number, signal: AbortSignal): Promise<Step> {
  const { sleep, fetch, now } = ports;
  const fields = await within(sleep, timeoutMs(), signal, async () => ports.headers());
  if (fields.kind === 'lost') return { kind: 'again', cause: fields.cause };

  await kept.markSent(now());
  const ended = endOf(ports, kept); // Another tab may have been first.
  if (ended !== undefined) return ended;

  const { request, key } = kept.record;
  const init = initOf(request, key, fields.value);
  const exchange = async (stop: AbortSignal) => readAnswer(await fetch(request.url, { ...init, signal: stop }));
  const exchanged = await within(sleep, timeoutMs(), signal, exchange);
  if (exchanged.kind === 'done') return judge(kept, exchanged.value);
  kept.isInDoubt = true;
  return { kind: 'again', cause: exchanged.cause };
}

async function judge(kept: Kept, answer: Answer): Promise<Step> {
  switch (verdictOf(answer, kept.isInDoubt)) {
    case 'final':
      await kept.settle(answer);
      return { kind: 'answered', answer };
    case 'refused':
      // Not settled: the same key goes on once the caller is known again.
      return kept.isInDoubt ? { kind: 'unknown', reason: 'refused', answer } : { kind: 'answered', answer };
    case 'under-review':
      kept.isInDoubt = true;
      return { kind: 'unknown', reason: 'under-review', answer };
    case 'again':
      kept.isInDoubt = true;
      return { kind: 'again', answer };
  }
}
