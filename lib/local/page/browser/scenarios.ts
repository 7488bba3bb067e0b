import type { Fault } from '../wire.ts';

export const SCENARIO_IDS = [
  'nothing',
  'before',
  'after',
  'double',
  'killed',
  'slow',
  'declined',
  'twenty',
  'amount',
  'keyless',
] as const;

export type ScenarioId = (typeof SCENARIO_IDS)[number];

/** What goes wrong, in terms of what the phone, the tunnel and the provider do. */
export interface Scenario {
  readonly paymentMethod: string;
  /** What becomes of the first attempts' connections; later ones get through. */
  readonly faults: readonly Fault[];
  /** How often the button is pressed. */
  readonly taps: number;
  readonly tapEveryMs: number;
  /** How long the phone waits for an answer; undefined: as long as the client does by default. */
  readonly patienceMs?: number;
  /** The function is killed as soon as the provider has charged. */
  readonly isKilled?: true;
  /** A careless client then sends this under the same key. */
  readonly thenAmount?: number;
  /** A careless client sends no key. */
  readonly isKeyless?: true;
}

/** In minor units, as the API takes it: 100,000 and 150,000 so'm. */
export const AMOUNT = 10_000_000;
export const OTHER_AMOUNT = 15_000_000;
export const CURRENCY = 'UZS';

const CALM: Scenario = { paymentMethod: 'pm_card_visa', faults: [], taps: 1, tapEveryMs: 0 };

/** Charges at once and answers after 2 s. */
const SLOW = 'pm_sim_slow';

export const SCENARIOS: Readonly<Record<ScenarioId, Scenario>> = {
  nothing: CALM,
  before: { ...CALM, faults: ['before'] },
  after: { ...CALM, faults: ['after'] },
  double: { ...CALM, taps: 2, tapEveryMs: 150 },
  killed: { ...CALM, paymentMethod: SLOW, isKilled: true },
  // The way to the function and back takes 0.8 s of it.
  slow: { ...CALM, paymentMethod: SLOW, patienceMs: 1500 },
  declined: { ...CALM, paymentMethod: 'pm_card_chargeDeclined' },
  twenty: { ...CALM, taps: 20, tapEveryMs: 25 },
  amount: { ...CALM, thenAmount: OTHER_AMOUNT },
  keyless: { ...CALM, isKeyless: true, taps: 2, tapEveryMs: 500 },
};
