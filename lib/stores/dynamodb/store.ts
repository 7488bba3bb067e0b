import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { DUE_SHARDS, PARTITION_KEY } from '../../contract/table.ts';
import type { Found } from '../../idempotency/claim.ts';
import { StoreUnavailableError } from '../../idempotency/errors.ts';
import type { Blocking, DomainWrite, RecordKey, Store, WriteResult } from '../../idempotency/store.ts';
import type { Ambient, EpochMs } from '../../idempotency/time.ts';
import { type Decision, transition, type Write } from '../../idempotency/transition.ts';
import { pkOf, recordName } from '../placement.ts';
import { pause, TRIES_MAX } from './back-off.ts';
import { classify, type FailedCondition, type Failure, unavailable } from './failure.ts';
import { type Action, actionOf, domainAction, dueQuery, toCursor } from './inputs.ts';
import { fromDueItem, fromItem, fromRecordItem, type Item } from './item.ts';

export interface DynamoDbStoreOptions {
  readonly client: DynamoDBDocumentClient;
  /** A table with the key `pk` and the index `due`, as `IdempotencyTable` makes it. */
  readonly tableName: string;
  /** An id becomes the token of a transaction: fresh, and at most 36 characters, as a UUID has. */
  readonly ambient: Pick<Ambient, 'id' | 'random' | 'sleep'>;
  /** @default DUE_SHARDS, which must not fall while claims are open */
  readonly shards?: number;
}

/** Definite but not final: the same request may succeed next. */
type Contended = Extract<Failure, { kind: 'conflict' | 'in-progress' }>;
type Attempt<T> = { readonly kind: 'sent'; readonly output: T } | Exclude<Failure, { kind: 'unavailable' }>;
type Committed = Awaited<ReturnType<Store['commit']>>;

/**
 * Claims and domain records in one DynamoDB table: every write conditional, every read strongly consistent, and a
 * write of ours whose reply was lost recognised when its repetition meets it.
 *
 * What is not a definite answer is thrown as `StoreUnavailableError`; answer 503 and let the client repeat its key.
 *
 * @example
 * const store = dynamoDbStore({ client: dynamoDbClient(), tableName, ambient });
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export function dynamoDbStore({ client, tableName, ambient, shards = DUE_SHARDS }: DynamoDbStoreOptions): Store {
  const target = { tableName, shards };

  async function attempt<T>(send: () => Promise<T>): Promise<Attempt<T>> {
    try {
      return { kind: 'sent', output: await send() };
    } catch (error) {
      const failure = classify(error);
      if (failure.kind === 'unavailable') throw unavailable(error, tableName);
      return failure;
    }
  }

  /** Tries again, a few times, while others hold the items. */
  async function insist<T extends { kind: string }>(once: (token: string) => Promise<T | Contended>): Promise<T> {
    let token = ambient.id();
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const result = await once(token);
      if (!isContended(result)) return result;
      // The token of a transaction that may still land must stay; one that was cancelled starts anew.
      if (result.kind === 'conflict') token = ambient.id();
      if (tries < TRIES_MAX) await pause(ambient, tries);
    }
    throw new StoreUnavailableError(
      `DynamoDB table "${tableName}": other writers held the item through ${TRIES_MAX} tries. Retry later with the same key.`,
    );
  }

  async function get(pk: string): Promise<Item | undefined> {
    const input = { TableName: tableName, Key: { [PARTITION_KEY]: pk }, ConsistentRead: true };
    const { Item } = await client.send(new GetCommand(input)).catch((error: unknown) => {
      throw unavailable(error, tableName);
    });
    return Item;
  }

  async function read(pk: string): Promise<Found> {
    const item = await get(pk);
    return item && fromItem(item);
  }

  async function record(at: RecordKey) {
    const item = await get(recordName(at));
    return item && fromRecordItem(item);
  }

  function sendAlone(action: Action): Promise<unknown> {
    if ('Put' in action) return client.send(new PutCommand(action.Put));
    if ('Delete' in action) return client.send(new DeleteCommand(action.Delete));
    return client.send(new UpdateCommand(action.Update));
  }

  const sendTogether = (actions: readonly Action[], token: string) =>
    client.send(new TransactWriteCommand({ TransactItems: [...actions], ClientRequestToken: token }));

  /** The item that failed the claim's condition, against what the write meant to do. */
  async function meet(write: Write, { item }: FailedCondition): Promise<WriteResult | Contended> {
    const found = item === undefined ? await read(pkOf(write)) : fromItem(item);
    const decision = transition(found, write);
    // Only a read that came later can show an item that would have let the write through.
    return decision.kind === 'apply' ? { kind: 'conflict' } : verdict(found, decision);
  }

  /** The domain records that failed their conditions. */
  const blocking = (writes: readonly DomainWrite[], failed: readonly FailedCondition[], first: number) =>
    Promise.all(
      writes.flatMap(({ table, key }, n): Promise<Blocking>[] => {
        const failure = failed.find(({ action }) => action === first + n);
        if (failure === undefined) return [];
        const found = failure.item === undefined ? record({ table, key }) : fromRecordItem(failure.item);
        return [Promise.resolve(found).then((record) => ({ table, key, record }))];
      }),
    );

  async function writeAlone(write: Write): Promise<WriteResult | Contended> {
    const sent = await attempt(() => sendAlone(actionOf(write, target)));
    if (sent.kind === 'sent') return { kind: 'applied' };
    return sent.kind === 'conditions' ? meet(write, sent.failed[0]) : sent;
  }

  async function writeTogether(
    write: Write,
    alongside: readonly DomainWrite[],
    token: string,
  ): Promise<WriteResult | Contended> {
    const actions = [actionOf(write, target), ...alongside.map((domain) => domainAction(domain, target))];
    const sent = await attempt(() => sendTogether(actions, token));
    if (sent.kind === 'sent') return { kind: 'applied' };
    if (sent.kind !== 'conditions') return sent;

    // The claim comes first: where our own transaction has landed, its domain conditions fail too, and mean nothing.
    const [first] = sent.failed;
    if (first.action === 0) return meet(write, first);
    return { kind: 'blocked', by: await blocking(alongside, sent.failed, 1) };
  }

  async function commit(writes: readonly DomainWrite[], token: string): Promise<Committed | Contended> {
    const actions = writes.map((write) => domainAction(write, target));
    const sent = await attempt(() => sendTogether(actions, token));
    if (sent.kind === 'sent') return { kind: 'applied' };
    return sent.kind === 'conditions' ? { kind: 'blocked', by: await blocking(writes, sent.failed, 0) } : sent;
  }

  return {
    shards,
    read,
    record,
    write: (write, alongside = []) =>
      insist<WriteResult>((token) =>
        alongside.length === 0 ? writeAlone(write) : writeTogether(write, alongside, token),
      ),
    commit: async (writes) =>
      writes.length === 0 ? { kind: 'applied' } : insist<Committed>((token) => commit(writes, token)),
    async due(shard: number, until: EpochMs, limit: number, from?: string) {
      const query = new QueryCommand(dueQuery(target, shard, until, limit, from));
      const { Items = [], LastEvaluatedKey } = await client.send(query).catch((error: unknown) => {
        throw unavailable(error, tableName);
      });
      const due = Items.map(fromDueItem);
      return LastEvaluatedKey === undefined ? { due } : { due, next: toCursor(LastEvaluatedKey) };
    },
  };
}

const isContended = (result: { kind: string }): result is Contended =>
  result.kind === 'conflict' || result.kind === 'in-progress';

const verdict = (found: Found, decision: Exclude<Decision, { kind: 'apply' }>): WriteResult =>
  decision.kind === 'already' ? { kind: 'already', claim: decision.claim } : { kind: 'refused', found };
