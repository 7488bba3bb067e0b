import { setTimeout as sleep } from 'node:timers/promises';
import { intentions } from '../../lib/client/intentions.ts';
import { memoryStorage } from '../../lib/client/memory-storage.ts';
import { systemAmbient } from '../../lib/client/system.ts';

/** In minor units: 100,000 so'm. */
export const AMOUNT = 10_000_000;

const POLL_MS = 50;

/** Longer than every wait of the story; behind it something is broken. */
const HANG_MS = 30_000;

/** More than the story makes. */
const EVENTS_MAX = 1000;

/** What the phone saw of one attempt. */
export type Seen =
  | { readonly kind: 'lost' }
  | { readonly kind: 'answered'; readonly status: number; readonly code: string | null; readonly replayed: boolean };

export interface Payment {
  readonly orderId: string;
  readonly paymentMethod: string;
  /** How many attempts lose their answer on the way back; a real connection is cut. */
  readonly lostAnswers: number;
}

export interface Service {
  /**
   * Pays as an app does, and tells what each attempt saw. The key is the order's.
   *
   * @param isPatient asks until the answer is final; otherwise one attempt is all
   */
  pay(payment: Payment, isPatient: boolean): Promise<readonly Seen[]>;
  charges(orderId: string): Promise<number>;
  untilCharged(orderIds: readonly string[]): Promise<void>;
  /** The provider's events never arrive from now on. */
  loseWebhooks(): Promise<void>;
  killFunction(): Promise<void>;
  /** Runs the reconciler until the order's key is settled. */
  reconcile(orderId: string): Promise<void>;
  settledBy(orderId: string): Promise<string>;
}

export async function connect(url: string): Promise<Service> {
  const token = await (await fetch(`${url}/local/token?sub=demo`)).text();
  const authorization = { authorization: `Bearer ${token}` };

  const clientOf = ({ lostAnswers, orderId }: Payment, attempted: (seen: Seen) => void) => {
    let left = lostAnswers;
    return intentions({
      ...systemAmbient,
      random: () => 0,
      makeKey: () => `key-of-${orderId}`,
      storage: memoryStorage(),
      headers: () => ({ ...authorization, 'x-tunnel-fault': left-- > 0 ? 'after' : 'none' }),
      fetch: async (target, init) => {
        const answer = await systemAmbient.fetch(target, init).catch((error: unknown) => {
          attempted({ kind: 'lost' });
          throw error;
        });
        attempted(await seenOf(answer.clone()));
        return answer;
      },
    });
  };
  /** Only who is to lose something goes through the tunnel: it takes its time. */
  const requestOf = ({ orderId, paymentMethod, lostAnswers }: Payment) => ({
    url: `${url}${lostAnswers > 0 ? '/local/tunnel' : ''}/payments`,
    body: { orderId, amount: AMOUNT, currency: 'UZS', paymentMethod },
  });
  const charges = async (orderId: string): Promise<number> => {
    const rows: unknown = await (await fetch(`${url}/local/ledger`)).json();
    return (rows as readonly { orderId: string }[]).filter((row) => row.orderId === orderId).length; // Our own simulator's.
  };
  const keyOf = async (orderId: string): Promise<{ readonly state?: string; readonly settledBy?: string }> =>
    (await fetch(`${url}/idempotency-keys/key-of-${orderId}`, { headers: authorization })).json() as object;

  return {
    pay: async (payment, isPatient) => {
      const seen: Seen[] = [];
      const end = new AbortController();
      const client = clientOf(payment, (attempt) => {
        seen.push(attempt);
        if (!isPatient) end.abort();
      });
      const intention = await client.open('demo', requestOf(payment));
      await intention.send({ signal: end.signal, deadlineMs: HANG_MS });
      return seen;
    },
    charges,
    untilCharged: (orderIds) =>
      until(async () => (await Promise.all(orderIds.map(charges))).every((count) => count > 0)),
    loseWebhooks: async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ fault: 'webhook_drop', times: EVENTS_MAX });
      await fetch(`${url}/local/faults`, { method: 'POST', headers, body });
    },
    killFunction: async () => {
      await fetch(`${url}/local/kill?function=create-payment`, { method: 'POST' });
    },
    reconcile: (orderId) =>
      until(async () => {
        await fetch(`${url}/local/reconcile`, { method: 'POST' });
        return (await keyOf(orderId)).state === 'completed';
      }),
    settledBy: async (orderId) => (await keyOf(orderId)).settledBy ?? 'nobody',
  };
}

async function seenOf(answer: Response): Promise<Seen> {
  const body: unknown = await answer.json();
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : null;
  return { kind: 'answered', status: answer.status, code, replayed: answer.headers.has('idempotency-replayed') };
}

async function until(isThere: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + HANG_MS;
  while (!(await isThere())) {
    if (Date.now() > end) throw new Error('The service does not come to an end.');
    await sleep(POLL_MS);
  }
}
