import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ambient, epochMs } from '../idempotency/time.ts';

/** The real clock and the real dice. */
export const systemAmbient: Ambient = {
  now: () => epochMs(Date.now()),
  id: () => randomUUID(),
  random: () => Math.random(),
  sleep: async (ms) => {
    await sleep(ms);
  },
};
