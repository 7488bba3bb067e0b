import { digest } from './digest.ts';
import type { IdempotencyKey } from './key.ts';

/** Who asks, from the verified authorizer only. Keys of two principals never meet. */
export interface Principal {
  readonly subject: string;
  readonly tenant?: string;
}

const tuple = ({ tenant, subject }: Principal): readonly string[] =>
  tenant === undefined ? ['', subject] : ['tenant', tenant, subject];

/** What a claim is compared with before its answer is replayed. */
export const scopeOf = (principal: Principal): string => digest(['scope', ...tuple(principal)]);

/** The claim's address: keys are hashed at rest. */
export const claimAddress = (principal: Principal, key: IdempotencyKey): string =>
  digest(['claim', ...tuple(principal), key]);

/**
 * The key at the provider: never the client's own, because two tenants behind one provider account would get each
 * other's charge; and bound to the generation, because a lawful reuse of a client key after its expiry must not meet
 * the old charge in the provider's longer memory.
 */
export const providerKeyOf = (pk: string, operation: string): string => digest(['provider', pk, operation]);
