import type { Book } from './book.ts';
import { eventsOf, NO_CAUSE } from './event.ts';
import { movementOf, settleIntent } from './intent.ts';
import { methodNamed } from './methods.ts';

/** Ends each payment that is `processing` when its time has come; what a restart interrupted is taken up again. */
export const startSettlement = (book: Book, now: () => number): { close(): void } => {
  const timers = new Set<NodeJS.Timeout>();

  const settle = (id: string): void => {
    const intent = book.intent(id);
    const verdict = methodNamed(intent?.payment_method ?? '')?.verdict;
    if (intent?.status !== 'processing' || verdict?.kind !== 'processes') return;
    const after = settleIntent(intent, verdict.end);
    const movement = after.status === 'succeeded' ? { movement: movementOf(after, now()) } : {};
    book.commit({ intent: after, ...movement, events: eventsOf(intent, after, now(), NO_CAUSE) });
  };

  const plan = (id: string, at: number): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        settle(id);
      },
      Math.max(0, at - now()),
    );
    timers.add(timer);
  };

  for (const [id, at] of book.settlements()) plan(id, at);
  book.onCommit(({ intent, settlesAt }) => {
    if (intent && settlesAt !== undefined) plan(intent.id, settlesAt);
  });
  return {
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
};
