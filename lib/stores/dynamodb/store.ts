import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DUE_SHARDS } from '../../contract/table.ts';
import { admit } from '../../idempotency/admission.ts';
import type { Found } from '../../idempotency/claim.ts';
import { StoreUnavailableError } from '../../idempotency/errors.ts';
import type { Blocking, DomainWrite, RecordKey, Store, WriteResult } from '../../idempotency/store.ts';
import type { Ambient, EpochMs } from '../../idempotency/time.ts';
import { type Decision, transition, type Write } from '../../idempotency/transition.ts';
import { pkOf, recordName } from '../placement.ts';
import { pointerOf } from './answer-form.ts';
import { fetchAnswer, type Kept, keepAnswer } from './answer-parts.ts';
import { pause, TRIES_MAX } from './back-off.ts';
import { classify, type FailedCondition, type Failure, unavailable } from './failure.ts';
import { actionOf, domainAction, dueQuery, toCursor } from './inputs.ts';
import { fromDueItem, fromItem, fromRecordItem, type Item } from './item.ts';
import { tableOf } from './table.ts';

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
  const table = tableOf(client, tableName);

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

  /** A claim with its whole answer, wherever that is; `asked` may spare the bytes. */
  async function shown(item: Item, asked?: Write): Promise<Found> {
    const found = fromItem(item);
    const pointer = pointerOf(item['response']);
    if (found.status !== 'done' || pointer === undefined) return found;
    const isSpared = asked?.kind === 'claim' && admit(found, asked.claim, asked.now).kind !== 'replay';
    return isSpared ? found : { ...found, response: await fetchAnswer(table, found, pointer) };
  }

  async function read(pk: string): Promise<Found> {
    const item = await table.get(pk);
    return item && shown(item);
  }

  async function record(at: RecordKey) {
    const item = await table.get(recordName(at));
    return item && fromRecordItem(item);
  }

  /** The item that failed the claim's condition, against what the write meant to do. */
  async function meet(write: Write, { item }: FailedCondition): Promise<WriteResult | Contended> {
    const found = item === undefined ? await read(pkOf(write)) : await shown(item, write);
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

  async function writeAlone(write: Write, { response, ...kept }: Kept): Promise<WriteResult | Contended> {
    const sent = await attempt(() => table.send(actionOf(write, target, response)));
    if (sent.kind === 'sent') return applied(kept);
    return sent.kind === 'conditions' ? meet(write, sent.failed[0]) : sent;
  }

  async function writeTogether(
    write: Write,
    { response, ...kept }: Kept,
    alongside: readonly DomainWrite[],
    token: string,
  ): Promise<WriteResult | Contended> {
    const domain = alongside.map((each) => domainAction(each, target));
    const actions = [actionOf(write, target, response), ...domain, ...kept.riding];
    const sent = await attempt(() => table.sendTogether(actions, token));
    if (sent.kind === 'sent') return applied(kept);
    if (sent.kind !== 'conditions') return sent;

    // The claim comes first: where our own transaction has landed, its domain conditions fail too, and mean nothing.
    const [first] = sent.failed;
    if (first.action === 0) return meet(write, first);
    return { kind: 'blocked', by: await blocking(alongside, sent.failed, 1) };
  }

  async function commit(writes: readonly DomainWrite[], token: string): Promise<Committed | Contended> {
    const actions = writes.map((write) => domainAction(write, target));
    const sent = await attempt(() => table.sendTogether(actions, token));
    if (sent.kind === 'sent') return { kind: 'applied' };
    return sent.kind === 'conditions' ? { kind: 'blocked', by: await blocking(writes, sent.failed, 0) } : sent;
  }

  return {
    shards,
    read,
    record,
    async write(write, alongside = []) {
      const isAlone = alongside.length === 0;
      const kept = write.kind === 'settle' ? await keepAnswer(table, ambient, write, !isAlone) : NO_ANSWER;
      return insist<WriteResult>((token) =>
        isAlone ? writeAlone(write, kept) : writeTogether(write, kept, alongside, token),
      );
    },
    commit: async (writes) =>
      writes.length === 0 ? { kind: 'applied' } : insist<Committed>((token) => commit(writes, token)),
    async due(shard: number, until: EpochMs, limit: number, from?: string) {
      const { items, lastKey } = await table.query(dueQuery(target, shard, until, limit, from));
      const due = items.map(fromDueItem);
      return lastKey === undefined ? { due } : { due, next: toCursor(lastKey) };
    },
  };
}

const NO_ANSWER: Kept = { response: {}, riding: [] };

const applied = ({ lost }: Pick<Kept, 'lost'>): WriteResult =>
  lost === undefined ? { kind: 'applied' } : { kind: 'applied', answerLost: lost };

const isContended = (result: { kind: string }): result is Contended =>
  result.kind === 'conflict' || result.kind === 'in-progress';

const verdict = (found: Found, decision: Exclude<Decision, { kind: 'apply' }>): WriteResult =>
  decision.kind === 'already' ? { kind: 'already', claim: decision.claim } : { kind: 'refused', found };
