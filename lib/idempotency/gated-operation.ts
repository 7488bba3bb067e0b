import { type Answer, final, inProgress, notEnoughTime, outcomePending, problem, storeUnavailable } from './answers.ts';
import { type Budget, effectTimeoutMs, PERFORM_MIN_MS, WITHDRAWAL_MIN_MS } from './budget.ts';
import type { ClaimedClaim, Found, Gate, Outcome } from './claim.ts';
import type { Effect, Evidence } from './effect.ts';
import { MisuseError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { callOf, isKeyRemembered, NOT_PERFORMED } from './recovery.ts';
import { providerKeyOf } from './scope.ts';
import { factsOf, type Settling, settle } from './settlement.ts';
import { hasLanded } from './store.ts';
import { storedAnswer } from './stored-answer.ts';

/** First pause before a call that was provably not executed is tried again; doubles each time. */
const RETRY_PAUSE_MS = 100;

/** A claimed operation with an external effect, in the hands of its owner. `perform` is the only way to the provider. */
export class GatedOperation<C extends JsonObject> {
  /** Id of this generation of the claim. */
  readonly id: string;
  readonly #protocol: Protocol;
  readonly #effect: Effect<C>;
  readonly #claim: ClaimedClaim;
  readonly #budget: Budget;
  #answering: Promise<Answer> | undefined;
  #answer: Answer | undefined;

  constructor(protocol: Protocol, effect: Effect<C>, claim: ClaimedClaim, budget: Budget) {
    this.id = claim.operation;
    this.#protocol = protocol;
    this.#effect = effect;
    this.#claim = claim;
    this.#budget = budget;
  }

  /** The answer that `perform` is coming to; whatever else the handler returned or threw, this is what leaves. */
  get answering(): Promise<Answer> | undefined {
    return this.#answering;
  }

  /** The same, once it is there. */
  get answer(): Answer | undefined {
    return this.#answer;
  }

  /**
   * Passes the gate, makes the effect happen, and writes its outcome down before anybody hears of it.
   *
   * @param command The validated request; plain JSON without secrets. It is stored, so that others can finish the work.
   * @throws MisuseError on a second call: one operation has one effect.
   */
  async perform(command: C): Promise<Answer> {
    if (this.#answering !== undefined)
      throw new MisuseError('perform() was called twice; one operation has one effect.');
    // What is sent, stored and rendered is what was handed in, whatever the handler does with its object afterwards.
    this.#answering = this.#run(structuredClone(command));
    this.#answer = await this.#answering;
    return this.#answer;
  }

  async #run(command: C): Promise<Answer> {
    if (this.#budget.remainingMs() < PERFORM_MIN_MS) {
      await this.release();
      return problem(notEnoughTime());
    }
    const passed = await this.#passGate(command);
    if (passed.kind !== 'passed') return passed.answer;
    try {
      return await this.#send(passed.claim);
    } catch (error) {
      this.#protocol.observe({ kind: 'store-error', reason: String(error) });
      return this.#handOff('the outcome could not be written down');
    }
  }

  async #passGate(command: C): Promise<{ kind: 'passed'; claim: Settling } | { kind: 'stopped'; answer: Answer }> {
    const { store, ambient, observe } = this.#protocol;
    const { pk, operation, owner, scope } = this.#claim;
    const gate: Gate = { providerKey: providerKeyOf(pk, operation), command, sentAt: ambient.now() };
    const claim: Settling = { pk, operation, scope, gate };
    try {
      const lock = this.#effect.gate(factsOf<C>(claim));
      const result = await store.write({ kind: 'gate', pk, operation, owner, gate }, lock);
      if (result.kind === 'refused') return { kind: 'stopped', answer: this.#answerFrom(result.found) };
      if (result.kind !== 'blocked') {
        observe({ kind: 'gated', operation });
        return { kind: 'passed', claim };
      }
      await this.release();
      return { kind: 'stopped', answer: problem(this.#effect.blocked(command, result.by)) };
    } catch (error) {
      observe({ kind: 'store-error', reason: String(error) });
      if (this.#budget.remainingMs() >= WITHDRAWAL_MIN_MS) await this.abandon('the gate may or may not have passed');
      return { kind: 'stopped', answer: problem(storeUnavailable()) };
    }
  }

  /** Somebody took this claim over while its owner slept, so this one sent nothing: their answer, or a wait for it. */
  #answerFrom(found: Found): Answer {
    const isDone = found?.status === 'done' && found.operation === this.id;
    return isDone ? storedAnswer(this.#protocol, found, this.#effect) : problem(inProgress(0, []));
  }

  async #send(claim: Settling): Promise<Answer> {
    const evidence = await this.#call(claim);
    switch (evidence.kind) {
      case 'outcome':
        return this.#settle(claim, evidence.outcome);
      case 'refused':
        return this.#closeDoor(claim, evidence.reason);
      case 'foreign':
        this.#protocol.observe({ kind: 'anomaly', operation: this.id, reason: evidence.reason });
        return this.#handOff(evidence.reason);
      case 'unknown':
        return this.#handOff(evidence.reason, evidence.providerRef);
      case 'not-executed':
      case 'used-up':
        return this.#handOff(evidence.reason);
      case 'absent':
      case 'closed':
        return this.#handOff(`the provider answered "${evidence.kind}" to an effect`);
    }
  }

  /** Calls the provider, again only while each earlier call was provably not executed, and never past the safe moment. */
  async #call(claim: Settling): Promise<Evidence> {
    const { ambient } = this.#protocol;
    let evidence: Evidence = { kind: 'not-executed', reason: 'too little time was left to send it' };
    for (let pauseMs = RETRY_PAUSE_MS; ; pauseMs *= 2) {
      const timeoutMs = effectTimeoutMs(this.#budget);
      const isRemembered = isKeyRemembered(claim.gate.sentAt, this.#effect.keyRetentionMs, ambient.now());
      if (timeoutMs === undefined || !isRemembered) return evidence;
      evidence = await this.#effect.perform(callOf<C>(claim, timeoutMs));
      const jitteredMs = pauseMs * (1 + ambient.random());
      // A pause that no call could follow would only keep the client waiting, and the hand-off with it.
      if (evidence.kind !== 'not-executed' || effectTimeoutMs(this.#budget, jitteredMs) === undefined) return evidence;
      await ambient.sleep(jitteredMs);
    }
  }

  async #settle(claim: Settling, outcome: Outcome): Promise<Answer> {
    const settlement = await settle(this.#protocol, this.#effect, claim, outcome, 'owner');
    return settlement.kind === 'settled' ? final(settlement.response) : problem(outcomePending('own'));
  }

  /** The provider refused in validation and remembers nothing: close the key, so that no later call can use it. */
  async #closeDoor(claim: Settling, reason: string): Promise<Answer> {
    const timeoutMs = effectTimeoutMs(this.#budget);
    if (this.#effect.close === undefined || timeoutMs === undefined) return this.#handOff(reason);
    const evidence = await this.#effect.close(callOf<C>(claim, timeoutMs));
    return evidence.kind === 'closed' ? this.#settle(claim, NOT_PERFORMED) : this.#handOff(reason);
  }

  async #handOff(reason: string, providerRef?: string): Promise<Answer> {
    await this.#tryHandOff(reason, providerRef);
    return problem(outcomePending('own'));
  }

  /** T4. Self-guarding: it does nothing once the gate has passed or the claim is somebody else's. */
  async release(): Promise<boolean> {
    const { pk, operation, owner } = this.#claim;
    return this.#attempt(async () => {
      const result = await this.#protocol.store.write({ kind: 'release', pk, operation, owner });
      if (hasLanded(result)) this.#protocol.observe({ kind: 'released', operation });
      return hasLanded(result);
    });
  }

  /**
   * Leaves the claim to others, from wherever it stands: releases it before the gate, hands it off behind it.
   * Safe at any moment, also while `perform` is still running.
   */
  async abandon(reason: string): Promise<void> {
    if (!(await this.release())) await this.#tryHandOff(reason);
  }

  /** T5. Self-guarding like T4. */
  async #tryHandOff(reason: string, providerRef?: string): Promise<boolean> {
    const { store, ambient, observe } = this.#protocol;
    const { pk, operation, owner } = this.#claim;
    const known = providerRef === undefined ? {} : { providerRef };
    return this.#attempt(async () => {
      const result = await store.write({ kind: 'hand-off', pk, operation, owner, now: ambient.now(), ...known });
      if (hasLanded(result)) observe({ kind: 'handed-off', operation, reason });
      return hasLanded(result);
    });
  }

  /** A write that only speeds others up: when it fails, the end of the lease does its work. */
  async #attempt(write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await write();
    } catch (error) {
      this.#protocol.observe({ kind: 'store-error', reason: String(error) });
      return false;
    }
  }
}
