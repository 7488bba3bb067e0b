import type { Outcome } from '../../lib/idempotency/claim.ts';
import type { Effect, EffectCall, Evidence } from '../../lib/idempotency/effect.ts';
import type { JsonObject } from '../../lib/idempotency/json.ts';
import { PROBLEMS } from '../../lib/idempotency/problems.ts';

type Step = Evidence | ((call: EffectCall) => Evidence | Promise<Evidence>);

export interface FakeEffect extends Effect {
  /** Every call in order, as `perform`, `lookup` or `close`. */
  readonly calls: readonly { readonly method: string; readonly call: EffectCall }[];
  readonly performs: () => number;
}

export const PERFORMED: Outcome = { result: 'performed', ref: 'ch_1' };
export const DECLINED: Outcome = { result: 'declined', ref: 'ch_1', detail: { code: 'no_funds' } };
export const performed: Evidence = { kind: 'outcome', outcome: PERFORMED };
export const declined: Evidence = { kind: 'outcome', outcome: DECLINED };
export const absent: Evidence = { kind: 'absent' };
export const closed: Evidence = { kind: 'closed' };
export const unknown: Evidence = { kind: 'unknown', reason: 'the call timed out' };
export const refused: Evidence = { kind: 'refused', reason: 'invalid' };
export const notExecuted: Evidence = { kind: 'not-executed', reason: 'the connection was refused' };
export const usedUp: Evidence = { kind: 'used-up', reason: 'a 500 is stored under the key' };
export const foreign: Evidence = { kind: 'foreign', reason: 'the charge belongs to another order' };

export const KEY_RETENTION_MS = 24 * 60 * 60 * 1_000;

/** Plays its scripts, one step a call; where a script has ended, nothing is ever known. */
export function fakeEffect(
  scripts: Partial<Record<'perform' | 'lookup' | 'close', readonly Step[]>>,
  overrides: Partial<Effect> = {},
): FakeEffect {
  const calls: { method: string; call: EffectCall }[] = [];
  const play = (method: 'perform' | 'lookup' | 'close') => {
    const steps = [...(scripts[method] ?? [])];
    return async (call: EffectCall): Promise<Evidence> => {
      calls.push({ method, call });
      const step = steps.shift() ?? unknown;
      return typeof step === 'function' ? step(call) : step;
    };
  };
  return {
    calls,
    performs: () => calls.filter(({ method }) => method === 'perform').length,
    keyRetentionMs: KEY_RETENTION_MS,
    perform: play('perform'),
    lookup: play('lookup'),
    ...(scripts.close !== undefined && { close: play('close') }),
    answer: answerOf,
    gate: ({ operation }) => [{ table: 'orders', key: 'order', expect: 'absent', put: { operation } }],
    settle: ({ operation }, { result }) => [
      { table: 'orders', key: 'order', expect: { operation }, put: { operation, result } },
    ],
    late: ({ operation }, { result }) => [
      { table: 'orders', key: 'order', expect: 'absent', put: { operation, result } },
    ],
    blocked: () => ({ type: PROBLEMS.inProgress, detail: 'The order is taken.', retryAfterSeconds: 2 }),
    ...overrides,
  };
}

const STATUS = { performed: 201, declined: 402, 'not-performed': 402, answered: 200 } as const;

/** The same bytes on every path: made of the operation and the outcome only. */
export const answerOf = ({ operation }: { readonly operation: string }, { result }: Outcome) => ({
  status: STATUS[result],
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify({ operation, result } satisfies JsonObject)),
});
