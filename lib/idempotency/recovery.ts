import type { GatedClaim } from './admission.ts';
import { type Budget, effectTimeoutMs, lookupTimeoutMs } from './budget.ts';
import type { Outcome, SettledBy } from './claim.ts';
import type { Effect, EffectCall, Evidence } from './effect.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { factsOf, type Settlement, type Settling, settle } from './settlement.ts';
import { after, type EpochMs } from './time.ts';

/** Distance kept from the end of the provider's memory: clocks differ, and a call takes its time. */
const KEY_RETENTION_MARGIN_MS = 60 * 60 * 1_000;

/** The one outcome of every proof that nothing happened and nothing will. */
export const NOT_PERFORMED: Outcome = { result: 'not-performed' };

export type Recovery =
  | Settlement
  /** Still not known. `stuck` when the effect is absent although its key is used up: waiting alone will not help. */
  | { readonly kind: 'open'; readonly reason: string; readonly stuck: boolean }
  /** No machine can settle it. */
  | { readonly kind: 'hopeless'; readonly reason: string };

export interface RecoveryRequest<C extends JsonObject> {
  readonly effect: Effect<C>;
  readonly claim: GatedClaim;
  readonly budget: Budget;
  readonly by: SettledBy;
  /** What to do about an effect that the look-up does not find. */
  readonly whenAbsent: 'resend' | 'close' | 'wait';
}

/** Whether the provider still remembers the key: the only moment at which a clock may decide about sending. */
export const isKeyRemembered = (sentAt: EpochMs, keyRetentionMs: number, now: EpochMs): boolean =>
  now < after(sentAt, keyRetentionMs - KEY_RETENTION_MARGIN_MS);

export const callOf = <C extends JsonObject>(claim: Settling, timeoutMs: number): EffectCall<C> => ({
  ...factsOf<C>(claim),
  key: claim.gate.providerKey,
  ...(claim.gate.providerRef !== undefined && { providerRef: claim.gate.providerRef }),
  timeoutMs,
});

const open = (reason: string, stuck = false): Recovery => ({ kind: 'open', reason, stuck });

/** Learns what became of an effect whose owner is gone, and settles it where that is certain. */
export async function recover<C extends JsonObject>(
  protocol: Protocol,
  request: RecoveryRequest<C>,
): Promise<Recovery> {
  const timeoutMs = lookupTimeoutMs(request.budget);
  if (timeoutMs === undefined) return open('too little time is left to look the effect up');
  const found = await request.effect.lookup(callOf<C>(request.claim, timeoutMs));
  if (found.kind !== 'absent') return weigh(protocol, request, found);
  if (request.whenAbsent === 'wait') return open('not found yet');
  if (!isKeyRemembered(request.claim.gate.sentAt, request.effect.keyRetentionMs, protocol.ambient.now())) {
    return { kind: 'hopeless', reason: 'not found, and the provider may have forgotten the key' };
  }
  return request.whenAbsent === 'close' ? closeDoor(protocol, request) : resend(protocol, request);
}

async function resend<C extends JsonObject>(protocol: Protocol, request: RecoveryRequest<C>): Promise<Recovery> {
  const timeoutMs = effectTimeoutMs(request.budget);
  if (timeoutMs === undefined) return open('too little time is left to send the effect again');
  const evidence = await request.effect.perform(callOf<C>(request.claim, timeoutMs));
  return evidence.kind === 'refused' ? closeDoor(protocol, request) : weigh(protocol, request, evidence);
}

async function closeDoor<C extends JsonObject>(protocol: Protocol, request: RecoveryRequest<C>): Promise<Recovery> {
  const { effect, claim, budget } = request;
  if (effect.close === undefined)
    return { kind: 'hopeless', reason: 'not found, and the provider cannot close the door' };
  const timeoutMs = lookupTimeoutMs(budget);
  if (timeoutMs === undefined) return open('too little time is left to close the door');
  return weigh(protocol, request, await effect.close(callOf<C>(claim, timeoutMs)));
}

async function weigh<C extends JsonObject>(
  protocol: Protocol,
  { effect, claim, by }: RecoveryRequest<C>,
  evidence: Evidence,
): Promise<Recovery> {
  switch (evidence.kind) {
    case 'outcome':
      return settle(protocol, effect, claim, evidence.outcome, by);
    case 'closed':
      return settle(protocol, effect, claim, NOT_PERFORMED, by);
    case 'foreign':
      return { kind: 'hopeless', reason: evidence.reason };
    case 'used-up':
      return open(evidence.reason, true);
    case 'absent':
      return open('not found yet');
    case 'refused':
    case 'not-executed':
    case 'unknown':
      return open(evidence.reason);
  }
}
