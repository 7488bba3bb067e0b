import { onTestFinished } from 'vitest';
import type { WebhookEndpoint } from '../../../lib/local/provider/post-event.ts';
import { startProvider } from '../../../lib/local/provider/server.ts';

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of many shapes; a wrong path is an undefined that fails the expectation.
  readonly body: Record<string, never> & { readonly [name: string]: unknown };
}

export interface Direct {
  readonly url: string;
  /** The simulator's clock, moved by hand. */
  readonly clock: { offsetMs: number };
  post(path: string, params: Record<string, string>, key?: string): Promise<Seen>;
  get(path: string): Promise<Seen>;
  fault(order: Record<string, unknown>): Promise<Seen>;
  ledger(): Promise<readonly Record<string, unknown>[]>;
  events(): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

const seen = async (response: Response): Promise<Seen> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Seen['body'], // See Seen.
});

const authorization = 'Bearer sk_test_local';

export const speakTo = (url: string): Omit<Direct, 'clock' | 'close'> => ({
  url,
  post: async (path, params, key) =>
    seen(
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
        body: new URLSearchParams(params),
      }),
    ),
  get: async (path) => seen(await fetch(`${url}${path}`, { headers: { authorization } })),
  fault: async (order) => seen(await fetch(`${url}/local/faults`, { method: 'POST', body: JSON.stringify(order) })),
  ledger: async () => (await (await fetch(`${url}/local/ledger`)).json()) as Record<string, unknown>[],
  events: async () => (await (await fetch(`${url}/local/events`)).json()) as Record<string, unknown>[],
});

/** Whose end takes its parts along; tests that run side by side must hand over their own. */
export type Finish = (work: () => void | Promise<void>) => void;

/** A simulator in this process, ended with the test. */
export const startDirect = async (
  dataDir?: string,
  webhook?: WebhookEndpoint,
  finish: Finish = onTestFinished,
): Promise<Direct> => {
  const clock = { offsetMs: 0 };
  const now = (): number => Date.now() + clock.offsetMs;
  const provider = await startProvider({
    port: 0,
    now,
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(webhook === undefined ? {} : { webhook }),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= provider.close();
    return closed;
  };
  finish(close);
  return { ...speakTo(provider.url), clock, close };
};

export const INTENTS = '/v1/payment_intents';

export const charge = (method = 'pm_card_visa', more: Record<string, string> = {}): Record<string, string> => ({
  amount: '1500',
  currency: 'uzs',
  payment_method: method,
  confirm: 'true',
  'metadata[order]': 'o-1',
  'metadata[operation]': 'op-1',
  ...more,
});
