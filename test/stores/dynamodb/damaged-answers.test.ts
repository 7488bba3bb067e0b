import { randomBytes } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PARTITION_KEY } from '../../../lib/contract/table.ts';
import type { Fingerprint } from '../../../lib/idempotency/fingerprint.ts';
import type { Item } from '../../../lib/stores/dynamodb/item.ts';
import { claim, EXPIRED, ungated } from '../../contract/samples.ts';
import { type AnswersTable, answersTable, OUTLINE } from './answers-table.ts';

let table: AnswersTable;
beforeAll(async () => {
  table = await answersTable();
});
afterAll(() => table.stop());

describe('an answer that is read', () => {
  const raw = (pk: string) => async (change: (response: Item) => unknown) => {
    const item = await table.claimItem(pk);
    await table.client.send(
      new PutCommand({ TableName: table.tableName, Item: { ...item, response: change(item['response'] as Item) } }),
    );
  };
  const damaged = (change: (beside: Item) => Item) => (response: Item) => ({
    ...response,
    beside: change(response['beside'] as Item),
  });

  it.each([
    [
      'a part was deleted',
      async (pk: string) => {
        const [part] = await table.partsOf(pk);
        await table.client.send(new DeleteCommand({ TableName: table.tableName, Key: { pk: part?.[PARTITION_KEY] } }));
      },
    ],
    [
      'a bit of a part was turned',
      async (pk: string) => {
        const [part] = await table.partsOf(pk);
        const bytes = Uint8Array.from(part?.['bytes'] as Uint8Array);
        bytes[7] = (bytes[7] as number) ^ 1;
        await table.client.send(new PutCommand({ TableName: table.tableName, Item: { ...part, bytes } }));
      },
    ],
    [
      'a part has no bytes',
      async (pk: string) => {
        const [part] = await table.partsOf(pk);
        await table.client.send(new PutCommand({ TableName: table.tableName, Item: { ...part, bytes: 'text' } }));
      },
    ],
    ['its claim names fewer parts', (pk: string) => raw(pk)(damaged((beside) => ({ ...beside, parts: 1 })))],
    [
      'its claim names more parts than there can be',
      (pk: string) => raw(pk)(damaged((beside) => ({ ...beside, parts: 1e9 }))),
    ],
    ['its claim names no number of parts', (pk: string) => raw(pk)(damaged(({ parts: _, ...beside }) => beside))],
    ['its claim has no digest', (pk: string) => raw(pk)(damaged(({ sha256: _, ...beside }) => beside))],
    ['its claim has another length', (pk: string) => raw(pk)(damaged((beside) => ({ ...beside, length: 1 })))],
    ['its headers end elsewhere', (pk: string) => raw(pk)(damaged((beside) => ({ ...beside, head: 3 })))],
    ['it is of another encoding', (pk: string) => raw(pk)(damaged((beside) => ({ ...beside, encoding: 'zstd' })))],
  ])('is gone, and its claim is done all the same, when %s', async (_, damage) => {
    const pk = await table.settled(randomBytes(500_000));
    await damage(pk);
    expect(await table.responseOf(pk)).toStrictEqual(OUTLINE);
  });

  it.each([
    ['no response at all', () => undefined, { headers: {} }],
    ['a response without a status', () => ({ body: new Uint8Array(1) }), { headers: {} }],
    [
      'a response without a body',
      () => ({ status: 201, headers: { location: '/x' } }),
      { status: 201, headers: { location: '/x' } },
    ],
    [
      'a response without headers',
      () => ({ status: 204, body: new Uint8Array() }),
      { status: 204, headers: {}, body: new Uint8Array() },
    ],
    [
      'bytes that were never packed',
      () => ({ ...OUTLINE, packed: new Uint8Array(9), encoding: 'zstd', length: 9, head: 2 }),
      OUTLINE,
    ],
    ['a pointer without a status', () => ({ beside: { id: 'x', parts: 1 } }), { headers: {} }],
  ])('belongs to a claim that is done, also with %s', async (_, change, expected) => {
    const pk = await table.settled(Uint8Array.of(1));
    await raw(pk)(change);
    expect(await table.responseOf(pk)).toStrictEqual(expected);
  });

  it('is not read for a request that may not have it', async () => {
    const pk = await table.settled(randomBytes(5_000));
    const reads: string[] = [];
    const store = table.store(table.intercepted((_, name) => void (name === 'GetCommand' && reads.push(name))));
    const rival = ungated(pk, 'op-2', 'rival');
    const other = await store.write(claim({ ...rival, fingerprint: 'sha256:y' as Fingerprint }));
    const stranger = await store.write(claim({ ...rival, scope: 'mallory' }));
    for (const met of [other, stranger]) expect(met).toMatchObject({ kind: 'refused', found: { response: OUTLINE } });
    expect((await store.write(claim(rival, EXPIRED))).kind).toBe('applied');
    expect(reads).toStrictEqual([]);
  });
});
