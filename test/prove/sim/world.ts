import { type Actor, newActor } from './actor.ts';
import { castOf } from './cast.ts';
import type { Choices } from './choices.ts';
import { Courier } from './courier.ts';
import { type CallKind, type Fault, faultsOf } from './faults.ts';
import { Invariants, type Violation } from './invariants.ts';
import type { How, Move } from './moves.ts';
import { SimProvider } from './provider.ts';
import { isNeeded } from './reduction.ts';
import type { Scenario } from './scenario.ts';
import { SimStore } from './store.ts';

export const START = 1_767_225_600_000;

/** Far more than any schedule has; beyond it something never ends. */
const STEPS_MAX = 2_000;

/** Runs an actor's function until its first call to a port. */
export type Starter = (world: World, actor: Actor) => void;

/** One schedule: the actors, what they share, and whose turn it is. */
export class World {
  readonly scenario: Scenario;
  readonly choices: Choices;
  readonly actors: readonly Actor[];
  readonly peace = newActor(-1, 'peace', 'peace', 0);
  readonly invariants: Invariants;
  readonly store: SimStore;
  readonly provider: SimProvider;
  readonly courier: Courier;
  readonly moves: Move[];
  /** Whose code is running at this moment. */
  current: Actor = this.peace;
  now = START;
  leaps = 0;
  /** Keys of the receipt jobs that the queue has taken. */
  readonly queued = new Set<string>();
  /** Nothing has happened since the start, or since the last leap of the clock, but what concerns one actor alone. */
  isBeginning = true;
  faultsLeft: number;
  steps = 0;
  /** No more scheduling: every call is carried out at once. */
  inPeace = false;
  trace: string[] | undefined;
  readonly #start: Starter;
  readonly #enabled: Move[] = [];

  constructor(scenario: Scenario, choices: Choices, start: Starter) {
    this.scenario = scenario;
    this.choices = choices;
    this.#start = start;
    this.faultsLeft = scenario.faultsMax;
    this.invariants = new Invariants(this);
    this.store = new SimStore(this.invariants);
    const { dedupes, keyMemoryMs } = scenario;
    const generationOf = (pk: string) => this.invariants.generationOf(pk);
    this.provider = new SimProvider({ dedupes, keyMemoryMs, now: () => this.now, generationOf });
    this.courier = new Courier(this);
    this.actors = castOf(scenario);
    this.moves = this.actors.map((actor) => ({ move: 'start', actor }));
  }

  get broken(): Violation | undefined {
    return this.invariants.broken;
  }

  clockOf(actor: Actor): number {
    return this.now + actor.skewMs;
  }

  /** A call of whoever is running; it resolves when the scheduler says so. */
  call<T>(kind: CallKind, label: string, carryOut: (how: How) => T): Promise<T> {
    if (this.inPeace) return Promise.resolve(carryOut('well'));
    const actor = this.current;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const settle = resolve as (value: unknown) => void; // What it is given is what carryOut returned.
    const { history: identity } = actor;
    this.moves.push({ move: 'call', actor, kind, label, identity, since: this.now, carryOut, resolve: settle, reject });
    return promise;
  }

  /** Makes one move; false when there is none left, or something is broken. */
  step(): boolean {
    if (this.broken !== undefined) return false;
    const enabled = this.#list();
    if (enabled.length === 0) return false;
    if (this.steps++ > STEPS_MAX) {
      this.invariants.fail('every function ends', `${STEPS_MAX} calls, and no end`);
      return false;
    }
    const chosen = this.choices.move(enabled.length, (index) => this.#weightOf(enabled[index] as Move));
    this.#make(enabled[chosen] as Move); // Chosen from the list.
    return this.broken === undefined;
  }

  #list(): readonly Move[] {
    const enabled = this.#enabled;
    enabled.length = 0;
    const { isReduced, countsTimeouts } = this.scenario;
    for (const move of this.moves)
      if (this.#isPossible(move) && (!isReduced || isNeeded(this, move))) enabled.push(move);
    const hasTimeouts = !countsTimeouts || this.faultsLeft > 0;
    for (const actor of this.actors)
      if (hasTimeouts && actor.timer !== undefined && actor.timer.at <= this.clockOf(actor))
        enabled.push({ move: 'early-timeout', actor });
    if (this.leaps < this.scenario.leapsMs.length) enabled.push(LEAP);
    if (this.provider.isProcessing) enabled.push(BANK);
    return enabled;
  }

  #isPossible(move: Move): boolean {
    return move.move !== 'start' || move.actor.role !== 'webhook' || this.provider.events.length > 0;
  }

  #weightOf(move: Move): number {
    const { weights, skewsMs } = this.scenario;
    if ('actor' in move) return weights[move.actor.index] ?? 1;
    return move.move === 'ghost' ? (weights[move.call.actor.index] ?? 1) : (weights[skewsMs.length] ?? 1);
  }

  #make(move: Move): void {
    const isLocal = move.move === 'start' || move.move === 'reply';
    this.isBeginning = isLocal ? this.isBeginning : move.move === 'leap';
    switch (move.move) {
      case 'start':
        this.#remove(move);
        this.#begin(move.actor);
        break;
      case 'call':
        this.#remove(move);
        this.courier.carryOut(move, this.#faultOf(move.kind));
        break;
      case 'ghost':
        this.#remove(move);
        this.courier.land(move.call);
        break;
      case 'reply':
        this.#remove(move);
        this.trace?.push(`${move.actor.name} hears of ${move.label}`);
        this.courier.resume(move.actor, move.deliver, move.seen);
        break;
      case 'early-timeout':
        this.#timeOut(move.actor);
        break;
      case 'leap':
        this.#leap();
        break;
      case 'bank':
        this.trace?.push('the bank decides');
        this.provider.conclude();
    }
  }

  #begin(actor: Actor): void {
    this.trace?.push(`${actor.name} starts`);
    actor.state = 'running';
    actor.beganAfter = this.leaps;
    this.courier.resume(actor, () => this.#start(this, actor), 'the clock');
  }

  #remove(move: Move): void {
    this.moves.splice(this.moves.indexOf(move), 1);
  }

  #faultOf(kind: CallKind): Fault | undefined {
    if (this.faultsLeft === 0) return undefined;
    const { dedupes, isReduced, leapsMs } = this.scenario;
    const faults = faultsOf(kind, { dedupes, isReduced, leapsLeft: leapsMs.length - this.leaps });
    if (faults.length === 0) return undefined;
    const chosen = this.choices.fault(faults.length);
    if (chosen === 0) return undefined;
    this.faultsLeft -= 1;
    return faults[chosen - 1];
  }

  #timeOut(actor: Actor): void {
    this.trace?.push(`the early time-out of ${actor.name}`);
    const { timer } = actor;
    if (this.scenario.countsTimeouts) this.faultsLeft -= 1;
    actor.timer = undefined;
    if (timer !== undefined) this.courier.resume(actor, timer.fire, 'early time-out');
  }

  #leap(): void {
    const ms = this.scenario.leapsMs[this.leaps++] ?? 0;
    const running = this.actors.filter(({ state }) => state === 'running');
    const still = running.length > 0 && this.faultsLeft > 0 ? this.choices.fault(running.length) : 0;
    this.store.ageIndex();
    this.now += ms;
    const frozen = running[still - 1];
    if (frozen !== undefined) {
      frozen.skewMs -= ms;
      this.faultsLeft -= 1;
    }
    this.trace?.push(`${ms} ms pass${frozen === undefined ? '' : `, but not for ${frozen.name}`}`);
    // DynamoDB deletes what has expired when it likes.
    if (this.store.hasExpired(this.now) && this.choices.pick(2) === 1)
      this.invariants.forget(this.store.deleteExpired(this.now));
  }
}

const LEAP: Move = { move: 'leap' };
const BANK: Move = { move: 'bank' };
