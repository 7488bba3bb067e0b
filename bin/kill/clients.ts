import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, readAnswer } from './answer.ts';
import type { Dice } from './dice.ts';
import { type Intention, noteFinal } from './intention.ts';

/** Longer than every wait of the service; a request that outlives it has hung. */
const HANG_MS = 35_000;

/** Pauses between attempts: of any length from the shortest on, and longer from time to time, as a good client's are. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 1_000;
const PAUSE_GROWTH = 1.2;
const PAUSE_MS_LIMIT = 5_000;

/** How soon a hasty client gives up an attempt. */
const HASTE_MS_MIN = 20;
const HASTE_MS_MAX = 2_500;

/** How often a forgetful client asks; most ask once and are gone, so that nobody but the service itself finds the end. */
const FORGETFUL_ATTEMPTS = [1, 1, 2, 3] as const;

export interface ClientOptions {
  readonly url: string;
  readonly tokens: ReadonlyMap<string, string>;
  /** For the history: milliseconds since the round began. */
  readonly clock: () => number;
  /** No attempt is begun after it; by then everything has been at rest for long. */
  readonly isOver: () => boolean;
}

/** Sends one intention until its client is content, or gives up. */
export async function pursue(intention: Intention, dice: Dice, options: ClientOptions): Promise<void> {
  const attemptsMax = intention.manner === 'forgetful' ? dice.pick(FORGETFUL_ATTEMPTS) : Number.MAX_SAFE_INTEGER;
  for (let attempt = 0; attempt < attemptsMax && !options.isOver(); attempt++) {
    if (attempt > 0)
      await sleep(dice.whole(PAUSE_MS_MIN, Math.min(PAUSE_MS_LIMIT, PAUSE_MS_MAX * PAUSE_GROWTH ** attempt)));
    const copies = intention.manner === 'doubled' ? 2 : 1;
    const patienceMs =
      intention.manner === 'hasty' && dice.chance(0.5) ? dice.whole(HASTE_MS_MIN, HASTE_MS_MAX) : HANG_MS;
    await Promise.all(Array.from({ length: copies }, () => send(intention, patienceMs, options)));
    if (intention.end !== 'open') return;
  }
  if (intention.manner === 'forgetful') intention.end = 'abandoned';
}

/** One attempt; what it brings is noted, whichever it is. */
export async function send(
  intention: Intention,
  patienceMs: number,
  { url, tokens, clock }: ClientOptions,
): Promise<Answer | undefined> {
  const startedAt = clock();
  const note = (what: string) => intention.history.push(`${startedAt} ms to ${clock()} ms: POST -> ${what}`);
  try {
    const response = await fetch(`${url}/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.get(intention.subject)}`,
        'content-type': 'application/json',
        'idempotency-key': intention.key,
      },
      body: JSON.stringify(intention.body),
      signal: AbortSignal.timeout(patienceMs),
    });
    const answer = await readAnswer(response);
    const final = answer.verdict.kind === 'final';
    note(`${answer.status} ${answer.code ?? ''}${final ? ` ${answer.text}` : ''}`);
    conclude(intention, answer);
    return answer;
  } catch (error) {
    note(error instanceof Error && error.name === 'TimeoutError' ? 'given up' : `no answer (${error})`);
    return undefined;
  }
}

function conclude(intention: Intention, { status, text, verdict }: Answer): void {
  switch (verdict.kind) {
    case 'final':
      noteFinal(intention, verdict.final);
      intention.end = 'final';
      return;
    case 'order-paid':
    case 'under-review':
      if (intention.end === 'open') intention.end = verdict.kind;
      return;
    case 'surprise':
      intention.surprises.push(`${status} ${text}`);
      if (intention.end === 'open') intention.end = 'abandoned';
      return;
    case 'retry':
      return;
  }
}
