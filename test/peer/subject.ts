import type { Exchange } from '../../bin/kill/engine-proxy.ts';
import { DUE_AT, DUE_INDEX, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../../lib/contract/table.ts';
import type { TableModel } from '../../lib/local/template/service-model.ts';

/** What is put through the scenarios. */
export interface Subject {
  readonly name: string;
  /** `file.export`, and the export that ends early where that is another one. */
  readonly handler: string;
  readonly earlyHandler: string;
  readonly bankDedupes: boolean;
  readonly isChipta: boolean;
  readonly table: TableModel;
  /** From a request's start until another one may act in its place. */
  readonly leaseMs: number;
  isClaim(exchange: Exchange): boolean;
  /** The last write before the charge is sent. */
  isLastBeforeCharge(exchange: Exchange): boolean;
  isCompletion(exchange: Exchange): boolean;
}

/** What Lambda gives either of them. */
export const TIMEOUT_MS = 4_000;

/** @param way As a middleware, or as a wrapper of the handler, which knows no early time-out. */
const powertools = (way: 'middleware' | 'wrapper', bankDedupes: boolean): Subject => ({
  name: `Powertools ${way}, ${provider(bankDedupes)}`,
  handler: way === 'middleware' ? 'powertools.handler' : 'powertools.wrappedHandler',
  earlyHandler: way === 'middleware' ? 'powertools.earlyHandler' : 'powertools.wrappedHandler',
  bankDedupes,
  isChipta: false,
  table: table(`powertools-${way}-${bankDedupes}`, 'id', 'expiration'),
  leaseMs: TIMEOUT_MS,
  isClaim: ({ operation }) => operation === 'PutItem',
  isLastBeforeCharge: ({ operation }) => operation === 'PutItem',
  isCompletion: ({ operation }) => operation === 'UpdateItem',
});

const chipta = (bankDedupes: boolean): Subject => ({
  name: `Chipta, ${provider(bankDedupes)}`,
  handler: 'chipta.handler',
  earlyHandler: 'chipta.handler',
  bankDedupes,
  isChipta: true,
  table: {
    ...table(`chipta-${bankDedupes}`, PARTITION_KEY, TTL_ATTRIBUTE),
    attributes: [
      { AttributeName: PARTITION_KEY, AttributeType: 'S' },
      { AttributeName: DUE_SHARD, AttributeType: 'N' },
      { AttributeName: DUE_AT, AttributeType: 'N' },
    ],
    globalIndexes: [
      {
        IndexName: DUE_INDEX,
        KeySchema: [
          { AttributeName: DUE_SHARD, KeyType: 'HASH' },
          { AttributeName: DUE_AT, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  },
  leaseMs: TIMEOUT_MS + 5_000,
  isClaim: ({ step }) => step === 'claim',
  isLastBeforeCharge: ({ step }) => step === 'gate',
  isCompletion: ({ step }) => step === 'settle',
});

const provider = (dedupes: boolean): string => (dedupes ? 'deduping provider' : 'plain provider');

const table = (name: string, key: string, ttlAttribute: string): TableModel => ({
  name,
  keySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  attributes: [{ AttributeName: key, AttributeType: 'S' }],
  globalIndexes: [],
  ttlAttribute,
});

export const SUBJECTS: readonly Subject[] = [
  powertools('middleware', false),
  powertools('wrapper', false),
  chipta(false),
  powertools('middleware', true),
  chipta(true),
];
