import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { DUE_AT, DUE_INDEX, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../../contract/table.ts';
import { SCHEMA_VERSION } from '../../idempotency/claim.ts';
import type { DomainWrite } from '../../idempotency/store.ts';
import type { EpochMs } from '../../idempotency/time.ts';
import type { Write, WriteOf } from '../../idempotency/transition.ts';
import { recordName } from '../placement.ts';
import { allOf, anyOf, atMost, below, type Clause, differs, equals, exists, missing, oneOf } from './condition.ts';
import { doneAttributes, gateAttributes, type Item, RECORD, toItem, toRecordItem } from './item.ts';

export interface Target {
  readonly tableName: string;
  /** Shards of the due index. */
  readonly shards: number;
}

interface Conditional {
  readonly TableName: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
  readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
}

/**
 * One write: as it stands an action of a transaction, and what is inside a request of its own. Only items that nobody
 * else can know of are put without a condition.
 */
export type Action =
  | { readonly Put: (Conditional | Pick<Conditional, 'TableName'>) & { readonly Item: Item } }
  | { readonly Update: Conditional & { readonly Key: Item; readonly UpdateExpression: string } }
  | { readonly Delete: Conditional & { readonly Key: Item } };

const isFree = missing(PARTITION_KEY);
const knownSchema = atMost('v', SCHEMA_VERSION);
const isClaimed = equals('status', 'claimed');
const isExecuting = equals('status', 'executing');
const isDone = equals('status', 'done');
const isOpen = oneOf('status', ['claimed', 'executing', 'unknown']);
const effectMayHaveHappened = oneOf('status', ['executing', 'unknown']);
const maySettle = ({ owner }: { owner?: string }) =>
  owner === undefined ? effectMayHaveHappened : anyOf(effectMayHaveHappened, allOf(isClaimed, ownedBy(owner)));
const isGated = exists('providerKey');
const isUngated = missing('providerKey');
const sameGeneration = (write: { operation: string }) => equals('operation', write.operation);
const ownedBy = (owner: string) => equals('owner', owner);
/** Whole seconds on both sides: `expiresAt * 1000 <= now`, spelled without arithmetic. */
const hasExpired = (now: EpochMs) => atMost(TTL_ATTRIBUTE, Math.floor(now / 1000));
const leaseEndedBefore = (moment: EpochMs) => below('leaseUntil', moment);
/** An item that my own lost write left behind is recognised, never written again. */
const notMine = (mine: { operation: string; owner: string }) =>
  anyOf(differs('operation', mine.operation), differs('owner', mine.owner));

/** When `transition` says `apply`, in DynamoDB's words. */
export function conditionOf(write: Write): Clause {
  switch (write.kind) {
    case 'claim':
      return anyOf(isFree, allOf(knownSchema, isDone, hasExpired(write.now), notMine(write.claim)));
    case 'take-over':
      return allOf(
        knownSchema,
        isClaimed,
        sameGeneration(write),
        ownedBy(write.from),
        differs('owner', write.owner),
        equals('fingerprint', write.fingerprint),
        leaseEndedBefore(write.now),
      );
    case 'gate':
      return allOf(knownSchema, isClaimed, sameGeneration(write), ownedBy(write.owner));
    case 'release': {
      const lapsed = write.lapsedAt === undefined ? [] : [leaseEndedBefore(write.lapsedAt)];
      return allOf(knownSchema, isClaimed, sameGeneration(write), ownedBy(write.owner), ...lapsed);
    }
    case 'release-ungated':
      return allOf(knownSchema, isExecuting, isUngated, sameGeneration(write), ownedBy(write.owner));
    case 'hand-off':
      return allOf(knownSchema, isExecuting, isGated, sameGeneration(write), ownedBy(write.owner));
    case 'settle':
      return allOf(knownSchema, maySettle(write), sameGeneration(write));
    case 'lease':
      return allOf(knownSchema, isOpen, sameGeneration(write), equals(DUE_AT, write.dueWas));
    case 'quarantine':
      return allOf(knownSchema, isOpen, sameGeneration(write));
  }
}

/** A claim's write; `answer` is what the claim itself holds of a settlement's. */
export function actionOf(write: Write, { tableName, shards }: Target, answer: Item): Action {
  const condition = conditionOf(write);
  if (write.kind === 'claim')
    return { Put: { ...conditional(tableName, condition), Item: toItem(write.claim, shards) } };
  const Key = { [PARTITION_KEY]: write.pk };
  if (write.kind === 'release' || write.kind === 'release-ungated')
    return { Delete: { ...conditional(tableName, condition), Key } };
  const { text: UpdateExpression, ...standsOn } = changeOf(write, answer);
  return { Update: { ...conditional(tableName, condition, standsOn), Key, UpdateExpression } };
}

/** A domain record's write. */
export function domainAction(write: DomainWrite, { tableName, shards }: Target): Action {
  const condition = conditional(tableName, expectation(write.expect));
  return 'put' in write
    ? { Put: { ...condition, Item: toRecordItem(write, write.put, write.dueAt, shards) } }
    : { Delete: { ...condition, Key: { [PARTITION_KEY]: recordName(write) } } };
}

export const dueQuery = (
  { tableName }: Target,
  shard: number,
  until: EpochMs,
  limit: number,
  from?: string,
): QueryCommandInput => ({
  TableName: tableName,
  IndexName: DUE_INDEX,
  KeyConditionExpression: '#shard = :shard AND #dueAt <= :until',
  ExpressionAttributeNames: { '#shard': DUE_SHARD, '#dueAt': DUE_AT },
  ExpressionAttributeValues: { ':shard': shard, ':until': until },
  ScanIndexForward: true,
  Limit: limit,
  ...(from !== undefined && { ExclusiveStartKey: fromCursor(from) }),
});

export const toCursor = (lastKey: Item): string => Buffer.from(JSON.stringify(lastKey)).toString('base64url');
const fromCursor = (cursor: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));

type Updating = Exclude<Write, WriteOf<'claim' | 'release' | 'release-ungated'>>;

function changeOf(write: Updating, answer: Item): Clause {
  switch (write.kind) {
    case 'take-over':
      return set({ owner: write.owner, leaseUntil: write.leaseUntil, [DUE_AT]: write.leaseUntil });
    case 'gate':
      return set({ status: 'executing', ...gateAttributes(write.gate) });
    case 'hand-off':
      return set({ status: 'unknown', leaseUntil: write.now, [DUE_AT]: write.now, ...known(write.providerRef) });
    case 'settle':
      return set({ status: 'done', ...doneAttributes(write, answer) }, OPEN_ONLY);
    case 'lease': {
      const moved = set({ [DUE_AT]: write.dueAt });
      return {
        text: `${moved.text}, #attempts = #attempts + :one`,
        names: { ...moved.names, '#attempts': 'attempts' },
        values: { ...moved.values, ':one': 1 },
      };
    }
    case 'quarantine':
      return set({ quarantine: write.reason, [DUE_AT]: write.dueAt });
  }
}

const known = (providerRef: string | undefined): Item => (providerRef === undefined ? {} : { providerRef });

/** What a settled claim no longer has; without the keys of the due index it leaves the index. */
const OPEN_ONLY = ['leaseUntil', 'attempts', 'quarantine', DUE_SHARD, DUE_AT];

function set(attributes: Item, removed: readonly string[] = []): Clause {
  const entries = Object.entries(attributes);
  const sets = `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`;
  const removes = removed.length === 0 ? '' : ` REMOVE ${removed.map((name) => `#${name}`).join(', ')}`;
  return {
    text: sets + removes,
    names: Object.fromEntries([...entries.map(([name]) => name), ...removed].map((name) => [`#${name}`, name])),
    values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
  };
}

function expectation(expect: DomainWrite['expect']): Clause {
  if (expect === 'absent') return missing(PARTITION_KEY);
  const members = Object.entries(expect).map(
    ([member, value], n): Clause => ({
      text: `#${RECORD}.#member${n} = :member${n}`,
      names: { [`#${RECORD}`]: RECORD, [`#member${n}`]: member },
      values: { [`:member${n}`]: value },
    }),
  );
  return allOf(exists(PARTITION_KEY), ...members);
}

function conditional(tableName: string, condition: Clause, also?: Omit<Clause, 'text'>): Conditional {
  const values = { ...condition.values, ...also?.values };
  return {
    TableName: tableName,
    ConditionExpression: condition.text,
    ExpressionAttributeNames: { ...condition.names, ...also?.names },
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }), // An empty map is refused.
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
