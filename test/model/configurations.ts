import type { Question } from './spin.ts';

/** What the model is asked about the protocol as it is, and must answer with "holds". */
export interface Configuration {
  /** A behaviour sentence; the kind of provider is told beside it. */
  readonly sentence: string;
  readonly defines: readonly string[];
  readonly search: Exclude<Question['search'], 'shortest'>;
  /** `large` ones take minutes each: for people, not for every run. */
  readonly size: 'default' | 'large';
  /** Left out where a kind of provider makes it too large to be searched through. */
  readonly providers?: readonly ProviderKind[];
}

export type ProviderKind = 'dedupes' | 'does not dedupe';
export const PROVIDERS: readonly ProviderKind[] = ['dedupes', 'does not dedupe'];

export const definesOf = (provider: ProviderKind): readonly string[] => (provider === 'dedupes' ? [] : ['NO_DEDUPE']);

export const CONFIGURATIONS: readonly Configuration[] = [
  {
    sentence: 'two attempts with one key and a reconciler make at most one charge',
    defines: [],
    search: 'safety',
    size: 'default',
  },
  {
    sentence: 'the same holds for an effect that locks no order',
    defines: ['NO_ORDER', 'REPEATERS=0'],
    search: 'safety',
    size: 'default',
  },
  {
    sentence: 'two keys for one order make at most one charge',
    defines: ['TWO_KEYS', 'REPEATERS=0'],
    search: 'safety',
    size: 'default',
  },
  {
    sentence: 'a key that expired serves another order, and each order hears of its own payment',
    defines: ['EXPIRIES=1', 'OTHER_ORDER', 'REPEATERS=0'],
    search: 'safety',
    size: 'default',
  },
  {
    sentence: 'a key that expired serves a second intention, and each gets at most one charge',
    defines: ['EXPIRIES=1', 'NO_ORDER', 'REPEATERS=0'],
    search: 'safety',
    size: 'default',
  },
  {
    sentence: 'every open claim is settled, released or quarantined once faults end',
    defines: ['REPEATERS=0'],
    search: 'liveness',
    size: 'default',
  },
  {
    sentence: 'both attempts may have their writes repeated, and still make at most one charge',
    defines: ['REPEATERS=2'],
    search: 'safety',
    size: 'large',
  },
  {
    sentence: 'repeated writes do not let two keys charge one order twice',
    defines: ['TWO_KEYS', 'REPEATERS=2'],
    search: 'safety',
    size: 'large',
  },
  {
    sentence: 'repeated writes change nothing about a key that expired',
    defines: ['EXPIRIES=1', 'OTHER_ORDER'],
    search: 'safety',
    size: 'large',
  },
  {
    sentence: 'a third attempt changes nothing',
    defines: ['ATTEMPTS=3', 'REPEATERS=0'],
    search: 'safety',
    size: 'large',
    providers: ['does not dedupe'],
  },
  {
    sentence: 'two reconcilers at once are harmless',
    defines: ['RECONCILERS=2', 'REPEATERS=0'],
    search: 'safety',
    size: 'large',
  },
];
