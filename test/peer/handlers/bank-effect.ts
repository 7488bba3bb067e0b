import type { Effect, EffectCall, Evidence } from '../../../lib/entry/main.ts';
import { charge, chargesWith, closeKey, type Order } from './bank-client.ts';

export type Command = Order & { readonly [member: string]: string | number };

/** Operations that are being performed by their handler in this very process, and that are not sent yet. */
const unsent = new Set<string>();

/** Lets the handler of an operation, and nobody else, send its charge, once. */
export async function sendingOnce<T>(operation: string, perform: () => Promise<T>): Promise<T> {
  unsent.add(operation);
  try {
    return await perform();
  } finally {
    unsent.delete(operation);
  }
}

/**
 * A charge at the bank.
 *
 * Where the bank dedupes, it is the effect of the README: perform, look up, close. Where it does not, nothing can be
 * closed and nothing may be sent twice: only the handler that passed the gate sends, once, and whoever finds the charge
 * absent later leaves it to an operator.
 */
export const bankEffect = (bankUrl: string, dedupes: boolean): Effect<Command> => ({
  keyRetentionMs: 24 * 60 * 60 * 1000,
  perform: (call) =>
    dedupes || unsent.delete(call.operation) ? guarded(() => perform(bankUrl, call)) : never('it was sent before'),
  lookup: (call) =>
    guarded(async () => {
      const [found] = await chargesWith(bankUrl, call.operation, call.timeoutMs);
      return found === undefined ? { kind: 'absent' } : performed(found.id);
    }),
  ...(dedupes && {
    close: (call: EffectCall<Command>) =>
      guarded(async () =>
        (await closeKey(bankUrl, call.key, call.timeoutMs)) ? { kind: 'closed' } : unknown('the key is used'),
      ),
  }),
  answer: ({ command }, { result, ref }) => ({
    status: result === 'performed' ? 201 : 402,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ payment: ref ?? null, ...command })),
  }),
  gate: () => [],
  settle: () => [],
  late: () => [],
  blocked: () => {
    throw new Error('There are no domain records that could block.');
  },
});

async function perform(
  bankUrl: string,
  { key, operation, command, timeoutMs }: EffectCall<Command>,
): Promise<Evidence> {
  const { orderId, amount } = command;
  const charged = await charge(bankUrl, { orderId, amount, reference: operation }, key, timeoutMs);
  return performed(charged.id);
}

const performed = (ref: string): Evidence => ({ kind: 'outcome', outcome: { result: 'performed', ref } });
const unknown = (reason: string): Evidence => ({ kind: 'unknown', reason });
const never = async (reason: string): Promise<Evidence> => unknown(reason);

async function guarded(ask: () => Promise<Evidence>): Promise<Evidence> {
  try {
    return await ask();
  } catch (error) {
    return unknown(String(error));
  }
}
