import { onTestFinished } from 'vitest';
import type { EffectCall } from '../../lib/idempotency/effect.ts';
import { epochMs } from '../../lib/idempotency/time.ts';
import { startProvider } from '../../lib/local/provider/server.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import { type StripeProviderOptions, stripeProvider } from '../../lib/payments/stripe/provider.ts';

export const now = () => epochMs(Date.now());

let calls = 0;

/** A call of an operation of its own. */
export const newCall = (
  command: Partial<PaymentCommand> = {},
  more: Partial<EffectCall<PaymentCommand>> = {},
): EffectCall<PaymentCommand> => {
  calls += 1;
  return {
    pk: `claim-${calls}`,
    operation: `op-${calls}`,
    scope: 'scope',
    key: `key-${calls}`,
    sentAt: now(),
    timeoutMs: 5_000,
    command: {
      tenant: 'tenant-1',
      orderId: `order-${calls}`,
      amount: 1500,
      currency: 'UZS',
      paymentMethod: 'pm_card_visa',
      ...command,
    },
    ...more,
  };
};

export const adapter = (apiBase: string, more: Partial<StripeProviderOptions> = {}): PaymentProvider =>
  stripeProvider({ secret: async () => 'sk_test_local', now, apiBase, ...more });

export interface Simulated {
  readonly url: string;
  readonly stripe: PaymentProvider;
  fault(fault: string, more?: { times?: number; ms?: number }): Promise<void>;
  charges(operation: string): Promise<number>;
}

/** The adapter in front of a simulator that ends with the test. */
export const simulated = async (more: Partial<StripeProviderOptions> = {}): Promise<Simulated> => {
  const provider = await startProvider({ port: 0 });
  onTestFinished(() => provider.close());
  return {
    url: provider.url,
    stripe: adapter(provider.url, more),
    fault: async (fault, order = {}) => {
      await fetch(`${provider.url}/local/faults`, { method: 'POST', body: JSON.stringify({ fault, ...order }) });
    },
    charges: async (operation) => {
      const rows = (await (await fetch(`${provider.url}/local/ledger`)).json()) as { operation: string }[];
      return rows.filter((row) => row.operation === operation).length;
    },
  };
};
