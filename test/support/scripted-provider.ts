import type { EffectCall, Evidence } from '../../lib/idempotency/effect.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import { KEY_RETENTION_MS, unknown } from './fake-effect.ts';

type Step = Evidence | ((call: EffectCall<PaymentCommand>) => Evidence | Promise<Evidence>);

export interface ScriptedProvider extends PaymentProvider {
  readonly calls: readonly { readonly method: string; readonly call: EffectCall<PaymentCommand> }[];
}

export const succeeded: Evidence = {
  kind: 'outcome',
  outcome: { result: 'performed', ref: 'pi_1', detail: { status: 'succeeded' } },
};
export const declinedCard: Evidence = {
  kind: 'outcome',
  outcome: { result: 'declined', ref: 'pi_1', detail: { code: 'insufficient_funds' } },
};

/** Plays its scripts, one step a call; where a script has ended, nothing is ever known. */
export function scriptedProvider(
  scripts: Partial<Record<'perform' | 'lookup' | 'close', readonly Step[]>>,
): ScriptedProvider {
  const calls: { method: string; call: EffectCall<PaymentCommand> }[] = [];
  const play = (method: 'perform' | 'lookup' | 'close') => {
    const steps = [...(scripts[method] ?? [])];
    return async (call: EffectCall<PaymentCommand>): Promise<Evidence> => {
      calls.push({ method, call });
      const step = steps.shift() ?? unknown;
      return typeof step === 'function' ? step(call) : step;
    };
  };
  return {
    calls,
    keyRetentionMs: KEY_RETENTION_MS,
    perform: play('perform'),
    lookup: play('lookup'),
    close: play('close'),
  };
}
