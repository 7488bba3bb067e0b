import { type Intentions, intentions } from '../../../client/intentions.ts';
import type { HeaderFields } from '../../../client/request.ts';
import { systemAmbient } from '../../../client/system.ts';
import { webStorage } from '../../../client/web-storage.ts';
import { type Fault, TUNNEL_HEADERS } from '../wire.ts';
import { visitor } from './memory.ts';
import { CURRENCY, SCENARIOS } from './scenarios.ts';
import type { Run } from './state.ts';

export const PAYMENTS = '/payments';
const PAYMENTS_THROUGH_TUNNEL = `/local/tunnel${PAYMENTS}`;

export const makeId = (): string => systemAmbient.makeKey();

let token: Promise<HeaderFields> | undefined;

/** The session's token, asked for once, so that no press waits for it in the browser's queue. */
export function authorization(): Promise<HeaderFields> {
  token ??= fetchToken();
  return token;
}

/** The next attempt asks for a new token: a local run that was started anew knows no old ones. */
export function renewAuthorization(): void {
  token = undefined;
}

async function fetchToken(): Promise<HeaderFields> {
  const answer = await fetch(`/local/token?sub=${visitor(makeId)}`);
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  return { authorization: `Bearer ${await answer.text()}` };
}

/** What an attempt of this run tells the tunnel: who it is, and what is to become of its connection. */
export type NextAttempt = () => { readonly run: Run; readonly fault: Fault };

const tunnelFields = ({ run, fault }: ReturnType<NextAttempt>, tap: number): HeaderFields => ({
  [TUNNEL_HEADERS.run]: run.id,
  [TUNNEL_HEADERS.tap]: String(tap),
  [TUNNEL_HEADERS.attempt]: makeId(),
  [TUNNEL_HEADERS.fault]: fault,
});

/**
 * The client as any app uses it; only its connection is worse. One for each press: each sends, none holds back.
 *
 * @param onAttempted called when an attempt has ended, however it did
 */
export function phone({ scenario }: Run, tap: number, next: NextAttempt, onAttempted = () => {}): Intentions {
  const { patienceMs } = SCENARIOS[scenario];
  return intentions({
    ...systemAmbient,
    fetch: (url, init) => systemAmbient.fetch(url, init).finally(onAttempted),
    storage: webStorage(),
    headers: async () => ({ ...(await authorization()), ...tunnelFields(next(), tap) }),
    ...(patienceMs !== undefined && { timeoutMs: patienceMs }),
  });
}

export const paymentBody = (orderId: string, paymentMethod: string, amount: number) => ({
  orderId,
  amount,
  currency: CURRENCY,
  paymentMethod,
});

export const paymentRequest = ({ orderId, scenario }: Run, amount: number) => ({
  url: PAYMENTS_THROUGH_TUNNEL,
  body: paymentBody(orderId, SCENARIOS[scenario].paymentMethod, amount),
});

/** What the client refuses to do: another request under a used key, or a payment without a key. */
export async function sendCarelessly(run: Run, tap: number, amount: number, key: string | null, next: NextAttempt) {
  const { url, body } = paymentRequest(run, amount);
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...(await authorization()),
      ...tunnelFields(next(), tap),
      'content-type': 'application/json',
      ...(key !== null && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}
