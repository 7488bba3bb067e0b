import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Exchange } from './engine-proxy.ts';
import { cutEngine, cutProvider, faultProvider, faultWebhooks, holdWrite, loseReplies } from './faults.ts';
import { LATER_MS_MAX, POINTS } from './points.ts';
import { type FunctionProcess, functionProcesses, signal } from './processes.ts';
import { type Act, LONG_MS_MAX, LONG_MS_MIN, MOMENT_MS, type Stage, WAIT_MS } from './stage.ts';
import { noteKill } from './tally.ts';

/** A process that talked to the engine within this time is probably at work. */
const BUSY_MS = 1_500;

const SHORT_MS_MIN = 200;
const SHORT_MS_MAX = 2_500;

/** Processes at a time that are new and have not talked to the engine yet. */
const STARTING_MAX = 6;
/** A start takes half a second when nothing else is at work. */
const STARTING_MS = 3_000;
const BREATH_MS = 200;

/** Does one thing after the other to the service until it is told to stop. */
export async function wreak(stage: Stage, dice: Dice, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (isOutOfBreath(stage)) await sleep(BREATH_MS);
    else await dice.weighted(ACTS)(stage, dice);
    await sleep(dice.whole(30, 300));
  }
}

/** A slow machine takes long to start a process; more kills would only mean that nobody is left at work. */
function isOutOfBreath({ lastSeen, noticed }: Stage): boolean {
  const now = Date.now();
  const starting = functionProcesses().filter(({ pid }) => {
    const since = noticed.get(pid) ?? now;
    noticed.set(pid, since);
    return !lastSeen.has(pid) && now - since < STARTING_MS;
  });
  return starting.length > STARTING_MAX;
}

const killAtPoint: Act = async ({ ambushes, freezer, tally, note }, dice) => {
  const { name, functionId, step, when } = dice.weighted(POINTS);
  const kill = ({ from, pk }: Exchange) => {
    if (from === undefined || freezer.isFrozen(from.pid) || !signal(from.pid, 'SIGKILL')) return;
    noteKill(tally, name);
    note(pk, `${from.functionId} (${from.pid}) is killed ${name}`);
  };
  const laterMs = dice.whole(0, LATER_MS_MAX);
  await ambushes.lay(
    {
      matches: (exchange) => exchange.step === step && exchange.from?.functionId === functionId,
      spring: (exchange) => {
        if (when === 'before') return { arrived: () => kill(exchange), isSwallowed: true };
        if (when === 'after') return { carriedOut: () => kill(exchange), isReplyLost: true };
        return { carriedOut: () => setTimeout(() => kill(exchange), laterMs) };
      },
    },
    WAIT_MS,
  );
};

/**
 * Somebody who is probably at work, else somebody who was. Never one that is still starting: on a slow machine that
 * would end in nothing but starts.
 */
function victim({ freezer, lastSeen }: Stage, dice: Dice): FunctionProcess | undefined {
  const seen = functionProcesses().filter(({ pid }) => lastSeen.has(pid) && !freezer.isFrozen(pid));
  const busy = seen.filter(({ pid }) => Date.now() - (lastSeen.get(pid)?.at ?? 0) < BUSY_MS);
  const [first, ...others] = busy.length > 0 && dice.chance(0.9) ? busy : seen;
  return first === undefined ? undefined : dice.pick([first, ...others]);
}

const killAtRandom: Act = async (stage, dice) => {
  await sleep(dice.whole(0, 700));
  const chosen = victim(stage, dice);
  if (chosen === undefined || !signal(chosen.pid, 'SIGKILL')) return;
  noteKill(stage.tally, `${chosen.functionId}: at random`);
  stage.note(stage.lastSeen.get(chosen.pid)?.pk, `${chosen.functionId} (${chosen.pid}) is killed at random`);
};

const freeze: Act = async (stage, dice) => {
  const isLong = dice.chance(0.5);
  const ms = isLong ? dice.whole(LONG_MS_MIN, LONG_MS_MAX) : dice.whole(SHORT_MS_MIN, SHORT_MS_MAX);
  let frozen: Promise<boolean> | undefined;
  const stop = (process: FunctionProcess, pk: string | undefined, where: string) => {
    stage.note(pk, `${process.functionId} (${process.pid}) is frozen for ${ms} ms ${where}`);
    frozen = stage.freezer.freeze(process.pid, ms);
  };
  if (dice.chance(0.7)) {
    await stage.ambushes.lay(
      {
        matches: ({ step, from }) => step !== 'read' && from !== undefined && from.functionId !== 'send-receipt',
        // It wakes up to the reply of what it had asked for.
        spring: ({ from, pk, step }) => ({
          carriedOut: () => from !== undefined && stop(from, pk, `after its ${step}`),
        }),
      },
      WAIT_MS,
    );
    await sleep(MOMENT_MS);
  } else {
    const chosen = victim(stage, dice);
    if (chosen !== undefined) stop(chosen, stage.lastSeen.get(chosen.pid)?.pk, 'at random');
  }
  if (!(await frozen)) return;
  stage.tally.freezes += 1;
  if (isLong) stage.tally.longFreezes += 1;
};

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [56, killAtPoint],
  [20, killAtRandom],
  [6, freeze],
  [8, loseReplies],
  [3, holdWrite],
  [5, faultProvider],
  [5, faultWebhooks],
  [1, cutEngine],
  [1, cutProvider],
];
