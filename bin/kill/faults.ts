import { setTimeout as sleep } from 'node:timers/promises';
import type { Ambush } from './ambush.ts';
import { providerProcess } from './processes.ts';
import { type Act, LONG_MS_MAX, LONG_MS_MIN, MOMENT_MS, WAIT_MS } from './stage.ts';

/** Of the simulator; none of them uses a key up without a charge, which only an operator could resolve. */
const PROVIDER_FAULTS = ['429', '500_before', 'drop_before', 'drop_after', 'refuse', 'slow', 'hang', 'lag'] as const;
const WEBHOOK_FAULTS = ['webhook_drop', 'webhook_repeat', 'webhook_shuffle', 'webhook_delay'] as const;

/** Often also the reply to the SDK's own second attempt. */
export const loseReplies: Act = async ({ ambushes, tally, note }, dice) => {
  const lossOf = (matches: Ambush['matches']): Ambush => ({
    matches,
    spring: ({ pk, step }) => {
      tally.lostReplies += 1;
      note(pk, `the reply to its ${step} is lost`);
      return { isReplyLost: true };
    },
  });
  const lost = await ambushes.lay(
    lossOf(({ step, from }) => step !== 'read' && from !== undefined),
    WAIT_MS,
  );
  if (lost === undefined || !dice.chance(0.5)) return;
  await ambushes.lay(
    lossOf(({ step, pk }) => step === lost.step && pk === lost.pk),
    MOMENT_MS,
  );
};

/** A write that arrives when nobody expects it any more. */
export const holdWrite: Act = async ({ ambushes, tally, note }, dice) => {
  const holdMs = dice.whole(MOMENT_MS, LONG_MS_MAX);
  await ambushes.lay(
    {
      matches: ({ step, from }) => step !== 'read' && from !== undefined,
      spring: ({ pk, step }) => {
        tally.heldWrites += 1;
        note(pk, `its ${step} is held for ${holdMs} ms`);
        return { holdMs };
      },
    },
    WAIT_MS,
  );
};

export const faultProvider: Act = async ({ control, tally }, dice) => {
  const times = dice.whole(1, 3);
  await control('/local/faults', { fault: dice.pick(PROVIDER_FAULTS), times });
  tally.providerFaults += times;
};

export const faultWebhooks: Act = async ({ control, tally }, dice) => {
  const times = dice.whole(1, 4);
  await control('/local/faults', { fault: dice.pick(WEBHOOK_FAULTS), times });
  tally.webhookFaults += times;
};

export const cutEngine: Act = async ({ proxy, tally }, dice) => {
  const cut = dice.chance(0.5) ? proxy.setOutage : proxy.setStall;
  cut(true);
  await sleep(MOMENT_MS);
  cut(false);
  tally.engineOutages += 1;
};

/** A provider that stands still reads on when it is awake again: charges whose senders are long dead. */
export const cutProvider: Act = async ({ control, freezer, tally }, dice) => {
  const pid = providerProcess();
  if (dice.chance(0.5) && pid !== undefined) {
    await freezer.freeze(pid, dice.chance(0.2) ? dice.whole(LONG_MS_MIN, LONG_MS_MAX) : MOMENT_MS);
  } else {
    await control('/local/provider?do=stop');
    await sleep(MOMENT_MS);
    await control('/local/provider?do=start');
  }
  tally.providerOutages += 1;
};
