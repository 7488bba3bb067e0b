import type { Actor } from '../sim/actor.ts';
import type { Move } from '../sim/moves.ts';
import type { World } from '../sim/world.ts';

/**
 * Names states by their content. Equal content gets an equal number, and nothing that is stored ever changes in place,
 * so each object is read only once.
 */
export class Fingerprints {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();

  /** Everything that the rest of the schedule depends on, but for the faults that are left. */
  stateOf(world: World): string {
    const actors = world.actors.map((actor) => this.#actor(world, actor)).join(',');
    const moves = world.moves
      .map((move) => this.#move(move))
      .sort()
      .join(',');
    return `${this.#shared(world)}|${actors}|${moves}|${world.leaps} ${world.isBeginning}`;
  }

  /** Everything that the clean-up and its checks depend on. */
  endingOf(world: World): string {
    const onTheirWay = world.moves
      .map((move) => this.#move(move))
      .sort()
      .join(',');
    const asked = world.scenario.requests.map((spec) => this.#number(spec)).join(',');
    return `${this.#shared(world)}|${onTheirWay}|${asked}|${world.now}`;
  }

  /** Notes what an actor sees: its code is deterministic, so that and its clock are all that it can depend on. */
  readonly note = (world: World, actor: Actor, seen: unknown): void => {
    const told = typeof seen === 'object' && seen !== null ? this.#number(seen) : String(seen);
    actor.history = this.#intern(`${actor.history} ${told} ${world.clockOf(actor)}`);
  };

  #shared({ store, provider, invariants, scenario }: World): string {
    const claims = [...store.claims.values()]
      .map((claim) => this.#number(claim))
      .sort()
      .join(',');
    const records = [...store.records.values()]
      .map((record) => this.#number(record))
      .sort()
      .join(',');
    const intents = provider.intents.map(({ ref, operation, status }) => `${ref} ${operation} ${status}`).join(',');
    const keys = [...provider.keys.values()].map(({ parameters, at, what }) => `${parameters} ${at} ${typeof what}`);
    const gates = [...invariants.gates.keys()].sort().join(',');
    const settled = [...invariants.settled.keys()].sort().join(',');
    const stale = store.staleIndex.map((due) => JSON.stringify(due)).join(',');
    return `${claims}|${records}|${intents}|${keys.sort().join(',')}|${gates}|${settled}|${stale}|${scenario.dedupes}`;
  }

  #actor(world: World, { state, history, skewMs, timer, index }: Actor): string {
    const isLive = state === 'running' || world.moves.some((move) => 'actor' in move && move.actor.index === index);
    return isLive ? `${state} ${history} ${skewMs} ${timer === undefined}` : 'ended';
  }

  #move(move: Move): string {
    switch (move.move) {
      case 'call':
        return `c${move.actor.index} ${move.label}`;
      case 'reply':
        return `r${move.actor.index} ${move.label} ${typeof move.seen === 'object' && move.seen !== null ? this.#number(move.seen) : String(move.seen)}`;
      case 'ghost':
        return `g${move.call.actor.index} ${move.call.label} ${move.call.identity} ${move.call.since}`;
      case 'start':
        return `s${move.actor.index}`;
      default:
        return move.move;
    }
  }

  #number(value: object): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const number = this.#intern(JSON.stringify(value, asText));
    this.#known.set(value, number);
    return number;
  }

  #intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size + 1);
    return this.#numbers.size;
  }
}

const asText = (_member: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;

/** 53 bits of a text (cyrb53): among ten million states, two share a number with a chance of one in two hundred. */
export function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
