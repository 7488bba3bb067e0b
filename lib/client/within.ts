import type { Ambient } from './ambient.ts';

/** What came of work that may fail, hang or be called off. */
export type Attempted<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'lost'; readonly cause: unknown };

/** Runs `work` for at most `ms`; its signal aborts at the end, whatever the end was. Never rejects. */
export async function within<T>(
  sleep: Ambient['sleep'],
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Attempted<T>> {
  const lost = (cause: unknown): Attempted<T> => ({ kind: 'lost', cause });
  if (signal.aborted) return lost(signal.reason);
  const end = new AbortController();
  const stop = (): void => end.abort();
  signal.addEventListener('abort', stop);
  // Also raced, because a `fetch` from elsewhere may not listen to its signal.
  const timeIsUp = sleep(ms, end.signal).then(() => lost(new Error(`No whole answer within ${ms} ms.`)));
  const outcome = work(end.signal).then((value): Attempted<T> => ({ kind: 'done', value }), lost);
  const first = await Promise.race([outcome, timeIsUp]);
  signal.removeEventListener('abort', stop);
  end.abort();
  return first;
}
