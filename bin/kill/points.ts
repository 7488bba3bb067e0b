import type { FunctionId } from './processes.ts';
import type { Step } from './traffic.ts';

/** A moment in a function's life at which it is killed. */
export interface Point {
  readonly name: string;
  readonly functionId: FunctionId;
  readonly step: Step;
  /**
   * `before`: the request does not reach the engine. `after`: it was carried out, and the function does not learn it.
   * `later`: the function has its reply and is busy with what comes next.
   */
  readonly when: 'before' | 'after' | 'later';
}

/** How far into what comes next `later` may be, in milliseconds: a slow charge takes 2 s. */
export const LATER_MS_MAX = 1_800;

const point = (functionId: FunctionId, when: Point['when'], step: Step, name: string): Point => ({
  name: `${functionId}: ${name}`,
  functionId,
  step,
  when,
});

/** As often as they are worth it: most of all the moments around the charge. */
export const POINTS: readonly (readonly [weight: number, point: Point])[] = [
  [2, point('create-payment', 'before', 'claim', 'before the claim')],
  [5, point('create-payment', 'after', 'claim', 'after the claim')],
  [3, point('create-payment', 'before', 'gate', 'before the gate')],
  [8, point('create-payment', 'after', 'gate', 'after the gate')],
  [10, point('create-payment', 'later', 'gate', 'during the charge')],
  [8, point('create-payment', 'before', 'settle', 'after the charge, before the settlement')],
  [6, point('create-payment', 'after', 'settle', 'after the settlement')],
  [3, point('create-payment', 'before', 'hand-off', 'before the hand-off')],
  [2, point('create-payment', 'after', 'hand-off', 'after the hand-off')],
  [3, point('create-payment', 'after', 'take-over', 'after the take-over')],
  [2, point('create-payment', 'before', 'release', 'before the release')],
  [3, point('reconcile', 'after', 'lease', 'after its lease')],
  [4, point('reconcile', 'later', 'lease', 'during the look-up or the closing of the door')],
  [5, point('reconcile', 'before', 'settle', 'before the settlement')],
  [3, point('reconcile', 'after', 'settle', 'after the settlement')],
  [2, point('reconcile', 'after', 'release', 'after the release')],
  [2, point('reconcile', 'before', 'domain', 'before a payment moves on')],
  [3, point('payment-webhook', 'after', 'claim', 'after the claim of its event')],
  [2, point('payment-webhook', 'before', 'domain', 'before a payment moves on')],
  [3, point('payment-webhook', 'before', 'settle', 'before the event is done')],
  [2, point('payment-webhook', 'after', 'settle', 'after the event is done')],
  [1, point('send-receipt', 'after', 'claim', 'after the claim of its job')],
  [1, point('send-receipt', 'before', 'settle', 'before the job is done')],
];
