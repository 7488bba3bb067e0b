import type { Actor } from './actor.ts';
import type { Move } from './moves.ts';
import type { World } from './world.ts';

/** Whether a move leads to schedules that no other move leads to, but for names and orders that make no difference. */
export function isNeeded(world: World, move: Move): boolean {
  if (move.move === 'start') return world.isBeginning && !isMirrored(world, move.actor, hasBegun);
  // An answer that took its time without a leap of the clock is a slow start of the next call.
  if (move.move === 'reply') return world.isBeginning;
  return move.move !== 'call' || !isMirrored(world, move.actor, hasCalled);
}

/** An identical actor before this one has not come as far: swapping their names gives the schedule where it has. */
function isMirrored(world: World, actor: Actor, isAhead: (before: Actor, actor: Actor) => boolean): boolean {
  const before = world.actors[actor.index - 1];
  const isTwin = before !== undefined && before.role === actor.role && before.spec === actor.spec;
  return isTwin && !isAhead(before, actor);
}

const hasBegun = (before: Actor): boolean => before.state !== 'waiting';

/** Clocks that were stopped tell twins apart, too. */
const hasCalled = (before: Actor, actor: Actor): boolean =>
  before.calls > 0 || before.beganAfter !== actor.beganAfter || before.skewMs !== actor.skewMs;
