import { setTimeout as sleep } from 'node:timers/promises';
import { Ambushes } from './ambush.ts';
import { wreak } from './chaos.ts';
import { type ClientOptions, send } from './clients.ts';
import { type ShopOptions, SUBJECTS, shop } from './customers.ts';
import { createDice } from './dice.ts';
import type { Exchange } from './engine-proxy.ts';
import type { Intention } from './intention.ts';
import { judgeRound, type Movement, type Violation } from './oracle.ts';
import { replayAll, untilQuiet } from './quiet.ts';
import { type Service, startService } from './service.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';
import { newTally, type Tally } from './tally.ts';

/** Enough to keep every point of the protocol busy, few enough for two cores. */
const CUSTOMERS = 12;

/** Hands that do harm at the same time. */
const DEMONS = 5;

/** Looks at a stored failure until it is quarantined take some 100 s: begun in this share of the round, they end in it. */
const OPERATOR_SHARE = 0.3;

/** Rounds with fewer kills are over too soon for it. */
const OPERATOR_KILLS_MIN = 150;

/** Less than a second a kill, where the machine has nothing else to do; a round that takes longer ends without them. */
const KILLING_MS_MAX = 60_000;
const KILL_MS_MAX = 6_000;

const TELL_EVERY_MS = 500;
const CLOSING_POLL_MS = 100;

const REPLAY_MS_MAX = 30_000;

export interface RoundOptions {
  readonly seed: string;
  readonly kills: number;
  readonly assemblyDirectory: string;
  /** Told about the round as it stands, now and then. */
  readonly onProgress: (progress: {
    readonly tally: Tally;
    readonly phase: string;
    readonly intentions: number;
  }) => void;
}

export interface RoundReport {
  readonly seed: string;
  readonly tally: Tally;
  readonly intentions: readonly Intention[];
  readonly table: Table;
  readonly ledger: readonly Movement[];
  readonly violations: readonly Violation[];
  /** What the functions themselves called anomalies. */
  readonly anomalies: readonly string[];
  readonly quietMs: number;
}

/** One service from its start to its end: harm, then quiet, then the judgement. */
export async function runRound(options: RoundOptions): Promise<RoundReport> {
  const round = newRound(options);
  const service = await startService({ ...options, judge: round.judge, log: round.log });
  const ticker = setInterval(() => round.tell(), TELL_EVERY_MS);
  try {
    return await play(round, service);
  } finally {
    round.isOver = true;
    clearInterval(ticker);
    await service.stop();
  }
}

/** What is known of a round while it lasts. */
function newRound({ seed, kills, onProgress }: RoundOptions) {
  const startedAt = Date.now();
  const tally = newTally();
  /** By the claim's address. */
  const intentions = new Map<string, Intention>();
  const anomalies: string[] = [];
  const ambushes = new Ambushes();
  const lastSeen = new Map<number, { at: number; pk: string | undefined }>();
  const round = {
    seed,
    kills,
    tally,
    intentions,
    anomalies,
    ambushes,
    lastSeen,
    phase: 'killing',
    /** When the last kill was done. */
    closedAt: undefined as number | undefined,
    isOver: false,
    clock: () => Date.now() - startedAt,
    isClosing: () => {
      if (tally.kills >= kills || round.clock() > KILLING_MS_MAX + kills * KILL_MS_MAX) round.closedAt ??= Date.now();
      return round.closedAt !== undefined;
    },
    judge: (exchange: Exchange) => {
      if (exchange.from !== undefined) lastSeen.set(exchange.from.pid, { at: Date.now(), pk: exchange.pk });
      return ambushes.judge(exchange);
    },
    log: (line: string) => {
      if (/"message":"anomaly"/.test(line)) anomalies.push(line);
    },
    tell: () => onProgress({ tally, phase: round.phase, intentions: intentions.size }),
  };
  return round;
}

type Round = ReturnType<typeof newRound>;

async function play(round: Round, service: Service): Promise<RoundReport> {
  const { seed, tally, intentions, anomalies, isClosing } = round;
  const tokens = new Map<string, string>();
  for (const subject of SUBJECTS) tokens.set(subject, await service.token(subject));
  const client: ClientOptions = { url: service.url, tokens, clock: round.clock, isOver: () => round.isOver };
  const stage = stageOf(round, service);
  const demons = Array.from({ length: DEMONS }, (_, n) => wreak(stage, createDice(`${seed} demon ${n}`), isClosing));
  const customers = Array.from({ length: CUSTOMERS }, (_, n) => shop(shopOf(round, client, n)));
  const atRest = Promise.all([...demons, ...customers]);
  while (!isClosing()) await sleep(CLOSING_POLL_MS);

  round.phase = 'waiting until nothing is open';
  await untilQuiet(service, intentions, atRest);
  round.isOver = true;
  await atRest;
  await service.proxy.idle();
  const quietMs = Date.now() - (round.closedAt ?? Date.now());

  round.phase = 'asking everything once more';
  await replayAll(intentions, await service.table(), (intention) => send(intention, REPLAY_MS_MAX, client));
  const [table, ledger] = [await service.table(), await service.ledger()];
  const all = [...intentions.values()];
  const violations = judgeRound({ intentions: all, table, ledger });
  return { seed, tally, intentions: all, table, ledger, violations, anomalies, quietMs };
}

const stageOf = ({ ambushes, tally, lastSeen, intentions, clock }: Round, service: Service): Stage => ({
  ...service,
  ambushes,
  tally,
  lastSeen,
  noticed: new Map(),
  note: (pk, what) => intentions.get(pk ?? '')?.history.push(`${clock()} ms: ${what}`),
});

const shopOf = (
  { seed, kills, tally, intentions, isClosing }: Round,
  client: ClientOptions,
  n: number,
): ShopOptions => ({
  ...client,
  name: `order-${n}`,
  dice: createDice(`${seed} customer ${n}`),
  isClosing,
  mayNeedOperator: () => kills >= OPERATOR_KILLS_MIN && tally.kills < kills * OPERATOR_SHARE,
  onIntention: (intention) => intentions.set(intention.pk, intention),
});
