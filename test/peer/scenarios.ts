import { setTimeout as sleep } from 'node:timers/promises';
import { FAIL_HEADER } from './handlers/bank-client.ts';
import type { Subject } from './subject.ts';
import type { Reply, Trial } from './trial.ts';

/** One thing that happens in production, played once; it ends with the client's last answer. */
export interface Scenario {
  readonly name: string;
  readonly isEarlyTimeout?: boolean;
  play(trial: Trial): Promise<Reply>;
}

/** A client that hears nothing for this long tries again. */
const PATIENCE_MS = 1_500;

/** The SDK's attempts at one write, and some to spare. */
const EVERY_REPLY = 5;

/** A frozen process wakes up when another one has long been allowed to act in its place. */
const beyondLeaseMs = ({ leaseMs }: Subject): number => leaseMs + 2_500;

async function freezeAndRetry(trial: Trial): Promise<Reply> {
  const frozen = trial.send();
  await sleep(PATIENCE_MS);
  const reply = await trial.insist();
  await frozen;
  return reply;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'asked again after the answer',
    play: async (trial) => {
      await trial.insist();
      return trial.send();
    },
  },
  {
    name: 'two at once, and a retry after the answer',
    play: async (trial) => {
      const answer = trial.holdBank();
      const first = trial.send();
      await trial.charged();
      await trial.send();
      answer();
      await first;
      return trial.insist();
    },
  },
  {
    name: 'two at once, and the rejected one retries at once',
    play: async (trial) => {
      const answer = trial.holdBank();
      const first = trial.send();
      await trial.charged();
      await trial.send();
      await trial.send();
      answer();
      await first;
      return trial.insist();
    },
  },
  {
    name: 'killed during the charge, then retried',
    play: async (trial) => {
      const answer = trial.holdBank();
      const killed = trial.send();
      await trial.charged();
      trial.kill();
      answer();
      await killed;
      return trial.insist();
    },
  },
  {
    name: 'the handler throws after the charge, then a retry',
    play: async (trial) => {
      await trial.send({ headers: { [FAIL_HEADER]: 'yes' } });
      return trial.insist();
    },
  },
  {
    name: 'the reply to the claim is lost',
    play: async (trial) => {
      trial.loseReplies(trial.subject.isClaim, 1);
      return trial.insist();
    },
  },
  {
    name: 'one reply to the completion is lost',
    play: async (trial) => {
      trial.loseReplies(trial.subject.isCompletion, 1);
      return trial.insist();
    },
  },
  {
    name: 'every reply to the completion is lost',
    play: async (trial) => {
      trial.loseReplies(trial.subject.isCompletion, EVERY_REPLY);
      return trial.insist();
    },
  },
  {
    name: 'another body under the key, then the first one again',
    play: async (trial) => {
      await trial.insist();
      await trial.send({ body: { orderId: trial.orderId, amount: 200 } });
      return trial.insist();
    },
  },
  {
    name: 'early time-out during the charge, then a retry',
    isEarlyTimeout: true,
    play: async (trial) => {
      const answer = trial.holdBank();
      await trial.send();
      answer();
      return trial.insist();
    },
  },
  {
    name: 'frozen after the claim, thawed after the lease',
    play: (trial) => {
      trial.freezeAt(trial.subject.isClaim, beyondLeaseMs(trial.subject));
      return freezeAndRetry(trial);
    },
  },
  {
    name: 'frozen right before the charge, thawed after the lease',
    play: (trial) => {
      trial.freezeAt(trial.subject.isLastBeforeCharge, beyondLeaseMs(trial.subject));
      return freezeAndRetry(trial);
    },
  },
];
