import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalRun } from '../../lib/local/local-run.ts';
import { readSettings } from '../../lib/local/settings.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body read as JSON; empty where it is none. */
  readonly body: { readonly code?: string; readonly retry?: string; readonly [member: string]: unknown };
}

export interface Movement {
  readonly orderId: string;
  readonly amount: number;
  readonly operation: string;
}

/** Longer than every wait of the service; a request that outlives it has hung. */
const HANG_MS = 40_000;

/** A good client asks again a little later than at once. */
const PAUSE_MS = 300;

/** The application that `cdk synth` made, on this machine, driven as clients drive it. */
export async function startLocal(environment: Readonly<Record<string, string>> = {}) {
  const settings = readSettings({ PORT: '0', PROVIDER_PORT: '0', ...environment });
  const run = await startLocalRun({ assemblyDirectory: 'cdk.out', settings, log: () => {} });

  const request = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(`${run.url}${path}`, { signal: AbortSignal.timeout(HANG_MS), ...init });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  const token = async (sub: string): Promise<string> => (await request(`/local/token?sub=${sub}`)).text;
  const authorization = { alice: `Bearer ${await token('alice')}`, bob: `Bearer ${await token('bob')}` };
  type Who = keyof typeof authorization;

  const pay = (key: string | undefined, body: unknown, who: Who = 'alice', headers: Record<string, string> = {}) =>
    request('/payments', {
      method: 'POST',
      headers: {
        authorization: authorization[who],
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get = (path: string, who: Who = 'alice') => request(path, { headers: { authorization: authorization[who] } });

  return {
    url: run.url,
    stop: run.stop,
    request,
    get,
    pay,
    control: (path: string, body?: unknown) =>
      request(path, {
        method: 'POST',
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    /** The movements of money for one order. */
    ledger: async (orderId: string): Promise<readonly Movement[]> => {
      const rows = JSON.parse((await request('/local/ledger')).text) as Movement[];
      return rows.filter((row) => row.orderId === orderId);
    },
    keyState: async (key: string, who: Who = 'alice') =>
      (await get(`/idempotency-keys/${encodeURIComponent(key)}`, who)).body,
    /** Sends the same request with the same key until the answer is final. */
    insist: async (key: string, body: unknown, forMs: number): Promise<Reply> => {
      const end = Date.now() + forMs;
      for (;;) {
        const reply = await pay(key, body);
        const isTemporary = reply.status >= 500 || (reply.status === 409 && reply.body.retry === 'same-key');
        if (!isTemporary || Date.now() > end) return reply;
        await sleep(PAUSE_MS);
      }
    },
  };
}

export type Local = Awaited<ReturnType<typeof startLocal>>;

export const orderId = (): string => `order-${randomUUID().slice(0, 8)}`;

export const payment = (order: string, paymentMethod = 'pm_card_visa', amount = 100_000) => ({
  orderId: order,
  amount,
  currency: 'UZS',
  paymentMethod,
});
