import { StoreUnavailableError } from '../../../lib/idempotency/errors.ts';
import type { Actor } from './actor.ts';
import type { Fault } from './faults.ts';
import type { Call, How, Move } from './moves.ts';
import type { World } from './world.ts';

/** A call that is on its way for longer than the hour kept from the end of the provider's memory does not arrive. */
const CALL_LIFE_MS = 60 * 60 * 1_000;

/** What a caller at the provider knows when nothing came back. */
const UNREACHED = { kind: 'unknown', reason: 'no answer' } as const;

/** Brings calls to the ports and answers back, or does not. */
export class Courier {
  /** Tells what an actor has just seen; only the exhaustive search wants to know. */
  onSeen: ((actor: Actor, seen: unknown) => void) | undefined;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  carryOut(call: Call, fault: Fault | undefined): void {
    const { actor, label } = call;
    const { trace, moves } = this.#world;
    actor.calls += 1;
    trace?.push(fault === undefined ? `${actor.name} ${label}` : `${actor.name} ${label} (${fault})`);
    switch (fault) {
      case undefined:
        this.#answer(call, this.#do(call, 'well'));
        break;
      case 'crash':
        this.#do(call, 'well');
        this.#crash(actor);
        break;
      case 'lost':
        this.#do(call, 'well');
        this.#fail(call);
        break;
      case 'failed':
        this.#fail(call);
        break;
      case 'twice':
        this.#do(call, 'well');
        this.#answer(call, this.#do(call, 'well'));
        break;
      case 'ghost':
        moves.push({ move: 'ghost', call });
        this.#answer(call, this.#do(call, 'well'));
        break;
      case 'late':
        moves.push({ move: 'ghost', call });
        this.#fail(call);
        break;
      case 'slow': {
        const seen = this.#do(call, 'well');
        moves.push({ move: 'reply', actor, label, deliver: () => call.resolve(seen), seen });
        break;
      }
      case 'turned-away':
        this.#answer(call, { kind: 'not-executed', reason: 'turned away' });
        break;
      case 'stale':
      case 'lagging':
      case 'refused':
      case 'stored-500':
        this.#answer(call, this.#do(call, fault));
    }
  }

  /** A call that was on its way arrives. */
  land(call: Call): void {
    this.#world.trace?.push(`${call.label} of ${call.actor.name} lands`);
    this.#do(call, 'well');
  }

  /** Lets an actor go on, up to its next call. */
  resume(actor: Actor, go: () => void, seen: unknown): void {
    this.#world.current = actor;
    this.onSeen?.(actor, seen);
    go();
  }

  #do(call: Call, how: How): unknown {
    this.#world.current = call.actor;
    const isProviders = call.kind === 'perform' || call.kind === 'close';
    if (isProviders && this.#world.now > call.since + CALL_LIFE_MS) return UNREACHED;
    return call.carryOut(how);
  }

  #answer(call: Call, seen: unknown): void {
    this.resume(call.actor, () => call.resolve(seen), seen);
  }

  #fail(call: Call): void {
    const isProviders = call.kind === 'perform' || call.kind === 'close' || call.kind === 'lookup';
    const error = new StoreUnavailableError(call.label);
    if (isProviders) this.#answer(call, UNREACHED);
    else this.resume(call.actor, () => call.reject(error), 'failed');
  }

  #crash(actor: Actor): void {
    const { moves } = this.#world;
    actor.state = 'ended';
    actor.timer = undefined;
    for (let at = moves.length - 1; at >= 0; at--) {
      const move = moves[at] as Move; // Within the list.
      if ('actor' in move && move.actor === actor) moves.splice(at, 1);
    }
  }
}
