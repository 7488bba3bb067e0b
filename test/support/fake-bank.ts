import type { EffectCall, Evidence } from '../../lib/idempotency/effect.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import { KEY_RETENTION_MS, unknown } from './fake-effect.ts';

export type BankState = 'processing' | 'succeeded' | 'declined';

export interface BankPayment {
  readonly ref: string;
  readonly call: EffectCall<PaymentCommand>;
  state: BankState;
}

export interface FakeBank extends PaymentProvider {
  readonly payments: readonly BankPayment[];
  /** The one payment of an order. */
  of(orderId: string): BankPayment;
  /** The state in which the next payments begin. */
  begins: BankState;
  /** Payments are made, and their answers are lost. */
  isDeaf: boolean;
  /** Nothing is known of anything. */
  isDown: boolean;
  /** Look-ups so far. */
  readonly lookups: () => number;
}

/** A provider that remembers keys and knows at any time how each payment stands. */
export function fakeBank(): FakeBank {
  const payments: BankPayment[] = [];
  let lookups = 0;
  const find = (operation: string) => payments.find(({ call }) => call.operation === operation);
  const evidenceOf = (payment: BankPayment | undefined): Evidence => {
    if (payment === undefined) return { kind: 'absent' };
    const { ref, state } = payment;
    return state === 'declined'
      ? { kind: 'outcome', outcome: { result: 'declined', ref, detail: { code: 'no_funds' } } }
      : { kind: 'outcome', outcome: { result: 'performed', ref, detail: { status: state } } };
  };
  const bank: FakeBank = {
    payments,
    begins: 'succeeded',
    isDeaf: false,
    isDown: false,
    keyRetentionMs: KEY_RETENTION_MS,
    lookups: () => lookups,
    of(orderId) {
      const found = payments.find(({ call }) => call.command.orderId === orderId);
      if (found === undefined) throw new Error(`The bank knows no payment of ${orderId}.`);
      return found;
    },
    async perform(call) {
      if (bank.isDown) return unknown;
      const known = find(call.operation);
      const payment = known ?? { ref: `pi_${payments.length + 1}`, call, state: bank.begins };
      if (known === undefined) payments.push(payment);
      return bank.isDeaf ? unknown : evidenceOf(payment);
    },
    async lookup({ operation, providerRef }) {
      lookups += 1;
      if (bank.isDown) return unknown;
      const payment = find(operation);
      return payment !== undefined && providerRef !== undefined && providerRef !== payment.ref
        ? { kind: 'foreign', reason: `${providerRef} is of another operation` }
        : evidenceOf(payment);
    },
    close: async () => (bank.isDown ? unknown : { kind: 'closed' }),
  };
  return bank;
}
