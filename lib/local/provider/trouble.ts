import type { JsonObject } from '../../idempotency/json.ts';
import { type Answer, invalid } from './answer.ts';
import type { Event } from './event.ts';

/** What can happen to one call, in the order of how far it gets. */
const NAMES = [
  /** The socket is closed before anything is read. */
  'refuse',
  /** The request is read, nothing is done, the socket is closed. */
  'drop_before',
  /** 429 before execution, nothing is remembered. */
  '429',
  /** 500 before execution, nothing is remembered. */
  '500_before',
  /** 500 in place of execution, and it is remembered under the key. */
  '500_stored',
  /** Executed, then a 500 is remembered and answered. */
  '500_after',
  /** Executed, the answer comes `ms` later; until then the key is in use. */
  'slow',
  /** Executed, never answered. */
  'hang',
  /** Executed, the socket is closed in place of an answer. */
  'drop_after',
  /** Executed, the socket is closed, and look-ups do not show the payment for `ms`. */
  'lag',
] as const;

/** What can happen to an event on its way, before its first delivery. */
const WEBHOOK_NAMES = [
  /** Never delivered. */
  'webhook_drop',
  /** Delivered twice at once. */
  'webhook_repeat',
  /** Held back until all of the order's events are there, or for `ms`, and then delivered last one first. */
  'webhook_shuffle',
  /** Delivered `ms` later. */
  'webhook_delay',
] as const;

export interface WebhookTrouble {
  readonly name: (typeof WEBHOOK_NAMES)[number];
  readonly ms: number;
  /** Shared by all events of one order: those that it holds back. */
  readonly held: Event[];
  readonly times: number;
}

export interface Trouble {
  readonly name: (typeof NAMES)[number];
  readonly ms: number;
}

const DEFAULT_MS: Partial<Record<(Trouble | WebhookTrouble)['name'], number>> = {
  slow: 2000,
  lag: 5000,
  // Longer than an asynchronous payment takes, so that its events meet.
  webhook_shuffle: 3000,
  webhook_delay: 2000,
};

/** A test that needs more than these has lost its way. */
const TIMES_MAX = 1000;
const MS_MAX = 600_000;

export interface Faults {
  /** The trouble of the next call, if any is left. */
  take(): Trouble | undefined;
  /** The trouble of the next event, if any is left. */
  takeForEvent(): WebhookTrouble | undefined;
  pending(): number;
  /** Adds `{ fault, times, ms }` for the next calls or events; an answer only when that makes no sense. */
  add(order: JsonObject): Answer | undefined;
}

const within = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

export const createFaults = (): Faults => {
  const calls: Trouble[] = [];
  const events: WebhookTrouble[] = [];
  return {
    take: () => calls.shift(),
    takeForEvent: () => events.shift(),
    pending: () => calls.length + events.length,
    add: ({ fault, times = 1, ms }) => {
      const name = NAMES.find((known) => known === fault);
      const webhookName = WEBHOOK_NAMES.find((known) => known === fault);
      const known = name ?? webhookName;
      if (known === undefined) {
        const allowed = [...NAMES, ...WEBHOOK_NAMES].join(', ');
        return invalid(`Unknown fault ${JSON.stringify(fault)}. Allowed: ${allowed}.`, { param: 'fault' });
      }
      if (!within(times, 1, TIMES_MAX)) return invalid(`times: an integer from 1 to ${TIMES_MAX}.`, { param: 'times' });
      const delay = ms ?? DEFAULT_MS[known] ?? 0;
      if (!within(delay, 0, MS_MAX)) return invalid(`ms: an integer from 0 to ${MS_MAX}.`, { param: 'ms' });
      const held: Event[] = [];
      for (let i = 0; i < times; i++) {
        if (name !== undefined) calls.push({ name, ms: delay });
        if (webhookName !== undefined) events.push({ name: webhookName, ms: delay, held, times });
      }
      return undefined;
    },
  };
};
