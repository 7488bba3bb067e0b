import type { Json, JsonObject } from '../../idempotency/json.ts';
import { type Answer, invalid, notFound } from './answer.ts';
import type { Book } from './book.ts';
import type { Faults } from './trouble.ts';

export interface Told {
  readonly status: number;
  readonly body: Json;
}

const jsonObject = (body: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined; // JSON.parse makes nothing but JSON.
  } catch {
    return undefined;
  }
};

const order = (body: string, faults: Faults): Told | Answer => {
  const wanted = jsonObject(body);
  if (wanted === undefined) return invalid('Send {"fault": NAME, "times": n, "ms": n} as JSON.');
  return faults.add(wanted) ?? { status: 200, body: { pending: faults.pending() } };
};

/** Control for tests and for the curious: needs no secret, and is never part of what is deployed. */
export const control = (method: string, path: string, body: string, book: Book, faults: Faults): Told => {
  switch (`${method} ${path}`) {
    case 'GET /local/ledger':
      return { status: 200, body: book.movements() };
    case 'GET /local/events':
      return {
        status: 200,
        body: book.events().map((event) => ({ ...event, delivery: book.delivery(event.id) ?? null })),
      };
    case 'GET /local/state':
      return {
        status: 200,
        body: {
          intents: book.intents().length,
          movements: book.movements().length,
          keys: book.keysCount(),
          faults: faults.pending(),
        },
      };
    case 'POST /local/faults':
      return order(body, faults);
    default:
      return notFound(method, path);
  }
};
