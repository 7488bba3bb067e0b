import { vi } from 'vitest';
import type { IntentionResult } from '../../lib/client/intention.ts';
import { type Intentions, type IntentionsOptions, intentions } from '../../lib/client/intentions.ts';
import { memoryStorage } from '../../lib/client/memory-storage.ts';
import type { IntentionStorage } from '../../lib/client/storage.ts';
import { systemAmbient } from '../../lib/client/system.ts';

export const URL_OF_PAYMENTS = 'https://shop.example/payments';
export const PAYMENT = { url: URL_OF_PAYMENTS, body: { orderId: 'order-1', amount: 100_000 } };
export const START = Date.UTC(2026, 0, 1);

export interface SeenRequest {
  readonly url: string;
  readonly method: string;
  readonly key: string | null;
  readonly headers: Headers;
  readonly text: string;
  readonly at: number;
}

/** What the network does with one request. */
export type Turn = (signal: AbortSignal) => Promise<Response>;

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Turn => {
  return async () =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
};

export const problem = (
  status: number,
  retry: string,
  headers: Record<string, string> = {},
  code = 'some-code',
): Turn => json(status, { code, retry }, { 'content-type': 'application/problem+json', ...headers });

export const paid = json(201, { id: 'pay_1' });

/** The socket closes; whether the server read the request first, nobody here can tell. */
export const reset: Turn = async () => {
  throw new TypeError('fetch failed');
};

export const hang: Turn = (signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** The status line and a part of the body come; then the socket closes. */
export const cutBody: Turn = async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  return new Response(body, { status: 201, headers: { 'content-type': 'application/json' } });
};

export interface World {
  readonly client: Intentions;
  readonly storage: IntentionStorage;
  readonly seen: readonly SeenRequest[];
  /** The next turns of the network; the last one repeats. */
  play(...turns: readonly Turn[]): void;
  /** The same storage and network in another tab, or after a reload. */
  tab(options?: Partial<IntentionsOptions>): Intentions;
}

/** A client whose network follows a script and whose timers are vitest's fake ones. */
export function world(options: Partial<IntentionsOptions> = {}): World {
  const seen: SeenRequest[] = [];
  let turns: Turn[] = [paid];
  const storage = options.storage ?? memoryStorage();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method, headers, body } = new Request(url, init);
    const text = body === null ? '' : await new Response(body).text();
    seen.push({ url, method, key: headers.get('idempotency-key'), headers, text, at: Date.now() });
    const [turn = reset, ...rest] = turns;
    if (rest.length > 0) turns = rest;
    return await turn(init.signal as AbortSignal); // The client always gives one.
  };
  const tab = (more: Partial<IntentionsOptions> = {}) =>
    intentions({ ...systemAmbient, random: () => 0.5, fetch, ...options, ...more, storage: more.storage ?? storage });
  return {
    client: tab(),
    storage,
    seen,
    play: (...next) => {
      turns = [...next];
    },
    tab,
  };
}

/** Lets time pass until the promise is settled. */
export async function finished<T>(promise: Promise<T>): Promise<T> {
  let isPending = true;
  const end = (): void => {
    isPending = false;
  };
  promise.then(end, end);
  while (isPending) await vi.advanceTimersToNextTimerAsync();
  return await promise;
}

/** Results as a test compares them. */
export async function summary(result: Promise<IntentionResult>) {
  const settled = await finished(result);
  return settled.kind === 'answered'
    ? { kind: settled.kind, status: settled.response.status }
    : { kind: settled.kind, reason: settled.reason };
}

export const keysOf = (seen: readonly SeenRequest[]): readonly (string | null)[] => [
  ...new Set(seen.map(({ key }) => key)),
];
