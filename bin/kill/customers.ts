import { type ClientOptions, pursue } from './clients.ts';
import type { Dice } from './dice.ts';
import { type Intention, type Manner, newIntention, type PaymentBody } from './intention.ts';

/** The simulator's methods, as likely as they are worth it. */
const METHODS: readonly (readonly [weight: number, method: string])[] = [
  [20, 'pm_card_visa'],
  [10, 'pm_sim_slow'],
  [8, 'pm_sim_drop'],
  [4, 'pm_sim_hang'],
  [8, 'pm_sim_lag'],
  [5, 'pm_sim_500_before'],
  [5, 'pm_sim_500_after'],
  [4, 'pm_sim_refuse'],
  [6, 'pm_card_chargeDeclined'],
  [2, 'pm_card_authenticationRequired'],
  [6, 'pm_sim_async'],
  [3, 'pm_sim_async_fail'],
];

/** The one method that no machine can settle: it stores a failure under the key, and charges nothing. */
export const STORED_FAILURE = 'pm_sim_500_stored';

const MANNERS: readonly (readonly [weight: number, manner: Manner])[] = [
  [5, 'patient'],
  [3, 'hasty'],
  [2, 'doubled'],
  [4, 'forgetful'],
];

export const SUBJECTS = ['alice', 'bob'] as const;

export interface ShopOptions extends ClientOptions {
  /** Names orders and keys apart from those of the other customers. */
  readonly name: string;
  readonly dice: Dice;
  /** No order is begun after it. */
  readonly isClosing: () => boolean;
  /** Whether there is time for a payment that only an operator could settle. */
  readonly mayNeedOperator: () => boolean;
  readonly onIntention: (intention: Intention) => void;
}

/** One order after the other, each with one intention or with several that get into each other's way. */
export async function shop(options: ShopOptions): Promise<void> {
  const { dice, isClosing } = options;
  for (let n = 0; !isClosing(); n++) {
    const order = { orderId: `${options.name}-${n}`, amount: dice.whole(1, 1_000_000), currency: 'UZS' };
    const first = begin(options, 'a', { ...order, paymentMethod: methodOf(options) });
    // An order that waits for an operator keeps its rivals waiting too.
    const hasRival = first.body.paymentMethod !== STORED_FAILURE && dice.chance(0.12);
    const rival = hasRival ? [begin(options, 'b', { ...order, paymentMethod: 'pm_card_visa' })] : [];
    await Promise.all([first, ...rival].map((intention) => pursue(intention, dice, options)));
    const isRefused = [...first.finals.values()].some(({ status }) => status === 402);
    if (!isRefused || isClosing() || !dice.chance(0.5)) continue;
    await pursue(begin(options, 'c', { ...order, paymentMethod: 'pm_card_mastercard' }), dice, options);
  }
}

const methodOf = ({ dice, mayNeedOperator }: ShopOptions): string =>
  mayNeedOperator() && dice.chance(0.05) ? STORED_FAILURE : dice.weighted(METHODS);

function begin({ dice, onIntention }: ShopOptions, letter: string, body: PaymentBody): Intention {
  const key = `${body.orderId}-${letter}`;
  const manner = body.paymentMethod === STORED_FAILURE ? 'forgetful' : dice.weighted(MANNERS);
  const intention = newIntention({ id: key, subject: dice.pick(SUBJECTS), key, body, manner });
  onIntention(intention);
  return intention;
}
