import type { Book } from './book.ts';
import type { Delivery, Event } from './event.ts';
import { isSuccess, postEvent, type WebhookEndpoint } from './post-event.ts';
import type { Faults, WebhookTrouble } from './trouble.ts';

/** 1 s, 2 s, 4 s and so on up to a minute, a quarter of an hour in all: longer than any outage on this machine. */
const BACK_OFF_MS = 1000;
const BACK_OFF_MS_MAX = 60_000;
const ATTEMPTS_MAX = 20;

/** Deliveries at a time, so that a burst of payments does not take every execution environment. */
const CONCURRENT_MAX = 10;

const UNTRIED = { state: 'due', attempts: 0, nextAt: null, lastAnswer: null } as const;

const backOffMs = (attempts: number): number => Math.min(BACK_OFF_MS * 2 ** (attempts - 1), BACK_OFF_MS_MAX);

export interface OutboxOptions {
  readonly book: Book;
  readonly faults: Faults;
  readonly now: () => number;
  readonly endpoint: WebhookEndpoint;
}

/** Delivers each event until it is answered with 2xx: at least once and in no particular order, as Stripe does. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #closing = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #waiting: { readonly event: Event; readonly copies: number }[] = [];
  #running = 0;

  /** Takes up what an earlier process left undelivered. */
  constructor(options: OutboxOptions) {
    this.#options = options;
    const { book, now } = options;
    for (const event of book.events()) {
      const { state, nextAt } = book.delivery(event.id) ?? UNTRIED;
      if (state === 'due') this.#after((nextAt ?? 0) - now(), () => this.#enqueue(event));
    }
    book.onCommit(({ events = [] }) => {
      for (const event of events) this.#dispatch(event);
    });
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#waiting.length = 0;
  }

  #dispatch(event: Event): void {
    const trouble = this.#options.faults.takeForEvent();
    switch (trouble?.name) {
      case 'webhook_drop':
        this.#note(event, { state: 'dropped' });
        break;
      case 'webhook_delay':
        this.#after(trouble.ms, () => this.#enqueue(event));
        break;
      case 'webhook_shuffle':
        this.#hold(event, trouble);
        break;
      case 'webhook_repeat':
        this.#enqueue(event, 2);
        break;
      default:
        this.#enqueue(event);
    }
  }

  /** A single event is overtaken by what comes meanwhile; several wait for each other. */
  #hold(event: Event, trouble: WebhookTrouble): void {
    const { held, times, ms } = trouble;
    held.push(event);
    if (times > 1 && held.length === times) void this.#release(trouble);
    else if (held.length === 1) this.#after(ms, () => void this.#release(trouble));
  }

  /** One after the other, so that they arrive in the order in which they leave. */
  async #release({ held }: WebhookTrouble): Promise<void> {
    for (const event of held.splice(0).reverse()) await this.#deliver(event, 1);
  }

  #enqueue(event: Event, copies = 1): void {
    this.#waiting.push({ event, copies });
    this.#pump();
  }

  #pump(): void {
    while (this.#running < CONCURRENT_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#deliver(next.event, next.copies).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  async #deliver(event: Event, copies: number): Promise<void> {
    const { book, now, endpoint } = this.#options;
    const post = () => postEvent(event, endpoint, now(), this.#closing.signal);
    const posted = await Promise.all(Array.from({ length: copies }, post));
    if (this.#closing.signal.aborted) return;
    const attempts = (book.delivery(event.id)?.attempts ?? 0) + 1;
    const success = posted.find(isSuccess);
    const told = { attempts, nextAt: null, lastAnswer: success ?? posted[0] ?? null };
    if (success !== undefined) this.#note(event, { ...told, state: 'delivered' });
    else if (attempts >= ATTEMPTS_MAX) this.#note(event, { ...told, state: 'given-up' });
    else {
      this.#note(event, { ...told, nextAt: now() + backOffMs(attempts) });
      this.#after(backOffMs(attempts), () => this.#enqueue(event));
    }
  }

  #note(event: Event, news: Partial<Delivery>): void {
    const { book } = this.#options;
    book.commit({ delivery: { ...(book.delivery(event.id) ?? { event: event.id, ...UNTRIED }), ...news } });
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        work();
      },
      Math.max(0, ms),
    );
    this.#timers.add(timer);
  }
}
