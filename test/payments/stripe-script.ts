import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EffectCall } from '../../lib/idempotency/effect.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import type { StripeProviderOptions } from '../../lib/payments/stripe/provider.ts';
import { adapter } from './stripe-call.ts';

export interface Asked {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Step = (response: ServerResponse) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

export const failure = (status: number, error: unknown, headers: Record<string, string> = {}): Step =>
  answer(status, { error }, { 'request-id': 'req_1', ...headers });

export const REPLAYED = { 'idempotent-replayed': 'true' };

/** The intent that Stripe would give for a call; `differs` is what is unusual about it. */
export const intentOf = (call: EffectCall<PaymentCommand>, differs: Record<string, unknown> = {}) => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: call.command.amount,
  currency: call.command.currency.toLowerCase(),
  status: 'succeeded',
  last_payment_error: null,
  metadata: { tenant: call.command.tenant, order: call.command.orderId, operation: call.operation, claim: call.pk },
  ...differs,
});

export interface Scripted {
  readonly stripe: PaymentProvider;
  readonly asked: readonly Asked[];
}

/** A server that gives the steps' answers in turn, for what the simulator does not do; more requests than steps fail. */
export const scripted = async (
  steps: readonly Step[],
  more: Partial<StripeProviderOptions> = {},
): Promise<Scripted> => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      const step = steps[asked.length - 1] ?? failure(500, { type: 'api_error', message: 'the script has ended' });
      step(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return { stripe: adapter(`http://127.0.0.1:${port}`, more), asked };
};
