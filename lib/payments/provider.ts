import type { Effect } from '../idempotency/effect.ts';
import type { PaymentCommand } from './command.ts';

/**
 * A payment provider: the half of the effect that talks to the outside.
 *
 * Outcomes carry in `ref` the provider's payment id and in `detail`:
 * `performed`: `{ status: 'succeeded' | 'processing' }`; `declined`: `{ code }`, the provider's decline code;
 * `not-performed`: nothing, so that every proof of it is the same outcome.
 */
export type PaymentProvider = Pick<Effect<PaymentCommand>, 'keyRetentionMs' | 'perform' | 'lookup'> &
  Required<Pick<Effect<PaymentCommand>, 'close'>>;
