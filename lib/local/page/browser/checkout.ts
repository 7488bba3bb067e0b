import type { Intention, IntentionResult } from '../../../client/intention.ts';
import { systemAmbient } from '../../../client/system.ts';
import { repeatWithoutKeys } from './comparison.ts';
import { rememberedRun, rememberRun } from './memory.ts';
import { makeId, paymentRequest, phone, renewAuthorization, sendCarelessly } from './phone.ts';
import { AMOUNT, SCENARIOS } from './scenarios.ts';
import { chargesOf, type Run, tripsOf } from './state.ts';
import type { Store } from './store.ts';

/** One checkout is open at a time. */
const INTENTION = 'checkout';

/** Time for the last of several answers to be read. */
const LATE_ANSWERS_MS = 300;

const ORDER_ID_LENGTH = 6;

export interface Checkout {
  /** Opens a checkout with a new order and a new key, and pays. */
  pay(): Promise<void>;
  /** Asks again under the same key, now. */
  askAgain(): Promise<void>;
  /** Goes on with a payment that was left in the middle. */
  resume(): Promise<void>;
}

export function createCheckout(store: Store): Checkout {
  let sending = new AbortController();
  let isAskedAgain = false;

  const change = (run: Run): Run => {
    rememberRun(run);
    store.set({ run });
    return run;
  };
  const current = (): Run => {
    const { run } = store.get();
    if (run === null) throw new Error('no checkout is open');
    return run;
  };
  /** Counts the attempt, so that the scenario's faults hit the first ones only, also after a reload. */
  const next = () => {
    const run = current();
    const fault = SCENARIOS[run.scenario].faults[run.sent] ?? 'none';
    return { run: change({ ...run, sent: run.sent + 1 }), fault };
  };
  const wait = (ms: number) => systemAmbient.sleep(ms, new AbortController().signal);

  const openRun = async (): Promise<Run> => {
    await forgetLast();
    const id = makeId();
    const orderId = `order-${id.slice(0, ORDER_ID_LENGTH)}`;
    const run = change({ id, orderId, scenario: store.get().chosen, key: null, sent: 0, isKilled: false });
    store.set({ phase: { kind: 'paying' }, isResumed: false, isComparing: false, isCompared: false });
    return run;
  };

  const forgetLast = async (): Promise<void> => {
    const last = store.get().run;
    const kept = last && (await phone(last, 1, next).find(INTENTION));
    await kept?.forget();
  };

  const openIntention = async (run: Run, tap: number, onAttempted: () => void): Promise<Intention> => {
    const client = phone(run, tap, next, onAttempted);
    return (await client.find(INTENTION)) ?? (await client.open(INTENTION, paymentRequest(run, AMOUNT)));
  };

  /**
   * Every press sends by itself, as taps on a page that does not lock its button. When one has its answer, the others
   * end with the attempt that they are at.
   */
  const press = async (taps: number): Promise<readonly IntentionResult[]> => {
    const run = current();
    const { tapEveryMs } = SCENARIOS[run.scenario];
    const round = sending;
    const attempted = Array.from({ length: taps }, () => Promise.withResolvers<void>());
    const answered = Promise.withResolvers<void>();
    const results = attempted.map(async ({ resolve }, at) => {
      await wait(at * tapEveryMs);
      const intention = await openIntention(run, at + 1, resolve);
      if (current().key === null) change({ ...current(), key: intention.key });
      const result = await intention.send({ signal: round.signal });
      if (result.kind === 'answered') answered.resolve();
      return result;
    });
    void Promise.all([answered, ...attempted].map(({ promise }) => promise))
      .then(() => wait(LATE_ANSWERS_MS))
      .then(() => round.abort());
    return Promise.all(results);
  };

  const sendUntilAnswered = async (taps: number): Promise<void> => {
    let pressed = taps;
    do {
      isAskedAgain = false;
      renewAuthorization();
      sending = new AbortController();
      const results = await press(pressed);
      const answered = results.find((result) => result.kind === 'answered');
      if (answered) return finish(answered.response.status);
      pressed = 1;
    } while (isAskedAgain);
    store.set({ phase: { kind: 'unknown' } });
  };

  const finish = async (status: number): Promise<void> => {
    const run = current();
    const { thenAmount } = SCENARIOS[run.scenario];
    if (thenAmount !== undefined) await sendCarelessly(run, 2, thenAmount, run.key, next);
    store.set({ phase: { kind: 'answered', status } });
    await compare(run);
  };

  const compare = async (run: Run): Promise<void> => {
    store.set({ isComparing: true });
    await repeatWithoutKeys(run, tripsOf(store.get()));
    if (store.get().run?.id === run.id) store.set({ isComparing: false, isCompared: true });
  };

  const sendWithoutKey = async ({ scenario }: Run): Promise<void> => {
    const { taps, tapEveryMs } = SCENARIOS[scenario];
    renewAuthorization();
    const pressed = Array.from({ length: taps }, async (_, at) => {
      await wait(at * tapEveryMs);
      return sendCarelessly(current(), at + 1, AMOUNT, null, next);
    });
    const [status = 0] = await Promise.all(pressed);
    await finish(status);
  };

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      console.error(error);
      store.set({ phase: { kind: 'unknown' }, isComparing: false });
    }
  };

  store.subscribe(() => void killWhenCharged());
  const killWhenCharged = async (): Promise<void> => {
    const state = store.get();
    const { run, phase } = state;
    if (run === null || phase.kind !== 'paying' || run.isKilled || !SCENARIOS[run.scenario].isKilled) return;
    const isRunning = tripsOf(state).some((trip) => trip.state === 'service');
    if (!isRunning || chargesOf(state).length === 0) return;
    change({ ...run, isKilled: true });
    await fetch('/local/kill?function=create-payment', { method: 'POST' });
  };

  return {
    pay: () =>
      guarded(async () => {
        const run = await openRun();
        const { isKeyless, taps } = SCENARIOS[run.scenario];
        await (isKeyless ? sendWithoutKey(run) : sendUntilAnswered(taps));
      }),
    askAgain: async () => {
      isAskedAgain = true;
      if (store.get().phase.kind === 'paying') return sending.abort();
      store.set({ phase: { kind: 'paying' } });
      await guarded(() => sendUntilAnswered(1));
    },
    resume: () =>
      guarded(async () => {
        const run = rememberedRun();
        const kept = run && (await phone(run, 1, next).find(INTENTION));
        if (!run || kept?.state !== 'sent') return;
        store.set({ run, chosen: run.scenario, isResumed: true, phase: { kind: 'paying' } });
        await sendUntilAnswered(1);
      }),
  };
}
