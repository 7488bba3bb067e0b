import { afterEach, expect, it, vi } from 'vitest';
import { openBook } from '../../../lib/local/provider/book.ts';
import { eventsOf, NO_CAUSE } from '../../../lib/local/provider/event.ts';
import { newIntent } from '../../../lib/local/provider/intent.ts';
import { Outbox } from '../../../lib/local/provider/outbox.ts';
import { createFaults } from '../../../lib/local/provider/trouble.ts';
import { startReceiver } from './receiver.ts';

afterEach(() => {
  vi.useRealTimers();
});

const intent = () =>
  newIntent(
    {
      amount: 1,
      currency: 'usd',
      paymentMethod: null,
      paymentMethodTypes: ['card'],
      description: null,
      metadata: {},
    },
    0,
  );

it('waits twice as long each time up to a minute, and gives up after twenty attempts', async () => {
  const receiver = await startReceiver();
  receiver.script.push(...Array.from({ length: 30 }, () => 500));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const book = openBook(undefined);
  const outbox = new Outbox({
    book,
    faults: createFaults(),
    now: () => 0,
    endpoint: { url: receiver.url, secret: 's' },
  });
  const made = intent();
  const [event] = eventsOf(undefined, made, 0, NO_CAUSE);
  if (!event) return expect.fail('no event');
  book.commit({ intent: made, events: [event] });
  const waits: unknown[] = [];
  while (book.delivery(event.id)?.state !== 'given-up') {
    await vi.waitFor(() => expect(book.delivery(event.id)?.attempts).toBe(waits.length + 1));
    const { nextAt = null } = book.delivery(event.id) ?? {};
    waits.push(nextAt);
    if (nextAt !== null) vi.advanceTimersByTime(nextAt);
  }
  expect(waits.slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(waits).toHaveLength(20);
  expect(waits.at(-1)).toBeNull();
  vi.advanceTimersByTime(3_600_000);
  expect(receiver.received).toHaveLength(20);
  outbox.close();
});

it('makes no more than ten deliveries at a time', async () => {
  const receiver = await startReceiver();
  receiver.script.push(...Array.from({ length: 10 }, () => 'hang' as const));
  const book = openBook(undefined);
  const outbox = new Outbox({
    book,
    faults: createFaults(),
    now: () => 0,
    endpoint: { url: receiver.url, secret: 's' },
  });
  for (let i = 0; i < 15; i += 1) {
    const made = intent();
    book.commit({ intent: made, events: eventsOf(undefined, made, 0, NO_CAUSE) });
  }
  await receiver.count(10);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(receiver.received).toHaveLength(10);
  outbox.close();
});
