import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import type { Ports } from './ports.ts';

type SetTimeout = typeof timers.setTimeout;

/**
 * Gives Middy's early time-out to the scheduler: while a schedule is running, a timer that production code sets belongs
 * to the actor that set it, and fires when the scheduler chooses to, once its moment has come by the actor's own clock.
 */
export function takeTimers(ports: Ports): void {
  const real = timers.setTimeout;
  const simulated = (fire: () => void, ms = 0): unknown => {
    if (!ports.isServing) return real(fire, ms);
    const { world } = ports;
    if (!world.inPeace) world.current.timer = { at: world.clockOf(world.current) + ms, fire };
    return {};
  };
  timers.setTimeout = simulated as SetTimeout; // Nobody looks at what it returns but to clear it.
  syncBuiltinESMExports();
}
