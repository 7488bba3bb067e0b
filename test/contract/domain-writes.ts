import { beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import type { JsonObject } from '../../lib/idempotency/json.ts';
import type { DomainWrite, RecordKey, Store } from '../../lib/idempotency/store.ts';
import { freshKey, gate, reach } from './samples.ts';

const RECORD: JsonObject = {
  state: 'open',
  amount: 1999,
  none: null,
  paid: false,
  // Names that a table gives a meaning to, and names that need care in an expression.
  expiresAt: 1,
  dueShard: 0,
  dueAt: 1,
  pk: 'x',
  'a.b': 'dotted',
  size: [1, 2, { deep: ['é', ''] }],
};

const met: readonly { readonly what: string; readonly expect: DomainWrite['expect'] }[] = [
  { what: 'nothing but existence', expect: {} },
  { what: 'a text', expect: { state: 'open' } },
  { what: 'several members', expect: { state: 'open', amount: 1999, paid: false } },
  { what: 'null', expect: { none: null } },
  { what: 'a list and what is in it', expect: { size: [1, 2, { deep: ['é', ''] }] } },
  { what: 'a name with a dot', expect: { 'a.b': 'dotted' } },
];

const violated: typeof met = [
  { what: 'no record', expect: 'absent' },
  { what: 'another text', expect: { state: 'paid' } },
  { what: 'a number of the same digits', expect: { amount: '1999' } },
  { what: 'a member that is missing', expect: { missing: 'x' } },
  { what: 'null for a member that is missing', expect: { missing: null } },
  { what: 'a list in another order', expect: { size: [2, 1, { deep: ['é', ''] }] } },
  { what: 'one right member and one wrong', expect: { state: 'open', amount: 1 } },
];

export function domainWrites(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  async function recorded(record: JsonObject = RECORD): Promise<RecordKey> {
    const at = freshKey();
    expect(await store.commit([{ ...at, expect: 'absent', put: record }])).toStrictEqual({ kind: 'applied' });
    return at;
  }

  it('a record comes back as it was put', async () => {
    expect(await store.record(await recorded())).toStrictEqual(RECORD);
    expect(await store.record(freshKey())).toBeUndefined();
  });

  it.each(met)('a record is replaced where $what was expected', async ({ expect: expected }) => {
    const at = await recorded();
    expect(await store.commit([{ ...at, expect: expected, put: { new: true } }])).toStrictEqual({ kind: 'applied' });
    expect(await store.record(at)).toStrictEqual({ new: true });
  });

  it.each(met)('a record is removed where $what was expected', async ({ expect: expected }) => {
    const at = await recorded();
    expect(await store.commit([{ ...at, expect: expected, remove: true }])).toStrictEqual({ kind: 'applied' });
    expect(await store.record(at)).toBeUndefined();
  });

  it.each(violated)('a record blocks a write that expects $what', async ({ expect: expected }) => {
    const at = await recorded();
    const blocked = { kind: 'blocked', by: [{ ...at, record: RECORD }] };
    expect(await store.commit([{ ...at, expect: expected, put: {} }])).toStrictEqual(blocked);
    expect(await store.commit([{ ...at, expect: expected, remove: true }])).toStrictEqual(blocked);
    expect(await store.record(at)).toStrictEqual(RECORD);
  });

  it('a record that is not there blocks a write that expects members', async () => {
    const at = freshKey();
    const by = [{ ...at, record: undefined }];
    expect(await store.commit([{ ...at, expect: { state: 'open' }, put: {} }])).toStrictEqual({ kind: 'blocked', by });
    expect(await store.commit([{ ...at, expect: {}, remove: true }])).toStrictEqual({ kind: 'blocked', by });
  });

  it('no writes at all are committed at once', async () => {
    expect(await store.commit([])).toStrictEqual({ kind: 'applied' });
  });

  it('addresses that read alike when joined are different records', async () => {
    const key = freshKey().key;
    await store.commit([{ table: 'a', key: `b/${key}`, expect: 'absent', put: { n: 1 } }]);
    await store.commit([{ table: 'a/b', key, expect: 'absent', put: { n: 2 } }]);
    expect(await store.record({ table: 'a', key: `b/${key}` })).toStrictEqual({ n: 1 });
    expect(await store.record({ table: 'a/b', key })).toStrictEqual({ n: 2 });
  });

  describe('all or nothing', () => {
    it('one record that blocks keeps every other write from happening', async () => {
      const paid = await recorded();
      const fresh = freshKey();
      const result = await store.commit([
        { ...fresh, expect: 'absent', put: {} },
        { ...paid, expect: 'absent', put: {} },
      ]);
      expect(result).toStrictEqual({ kind: 'blocked', by: [{ ...paid, record: RECORD }] });
      expect(await store.record(fresh)).toBeUndefined();
    });

    it('every record that blocks is reported', async () => {
      const [one, two] = [await recorded({ n: 1 }), await recorded({ n: 2 })];
      const result = await store.commit([
        { ...one, expect: 'absent', put: {} },
        { ...freshKey(), expect: 'absent', put: {} },
        { ...two, expect: 'absent', put: {} },
      ]);
      const by = [
        { ...one, record: { n: 1 } },
        { ...two, record: { n: 2 } },
      ];
      expect(result).toStrictEqual({ kind: 'blocked', by });
    });

    it('a record that blocks keeps the claim as it was', async () => {
      const pk = await reach(store, 'claimed');
      const before = await store.read(pk);
      const order = await recorded();
      const fresh = freshKey();
      const result = await store.write(gate(pk), [
        { ...fresh, expect: 'absent', put: {} },
        { ...order, expect: 'absent', put: {} },
      ]);
      expect(result).toStrictEqual({ kind: 'blocked', by: [{ ...order, record: RECORD }] });
      expect(await store.read(pk)).toStrictEqual(before);
      expect(await store.record(fresh)).toBeUndefined();
    });

    it('a claim that refuses is reported before records that would block', async () => {
      const pk = await reach(store, 'done');
      const order = await recorded();
      const result = await store.write(gate(pk), [{ ...order, expect: 'absent', put: {} }]);
      expect(result).toStrictEqual({ kind: 'refused', found: await store.read(pk) });
    });

    it('a claim and several records change together', async () => {
      const pk = await reach(store, 'claimed');
      const [put, removed] = [freshKey(), await recorded()];
      const result = await store.write(gate(pk), [
        { ...put, expect: 'absent', put: { pk } },
        { ...removed, expect: { state: 'open' }, remove: true },
      ]);
      expect(result.kind).toBe('applied');
      expect(await store.record(put)).toStrictEqual({ pk });
      expect(await store.record(removed)).toBeUndefined();
    });

    it('two writes to one record are refused whole', async () => {
      const at = freshKey();
      const twice: DomainWrite[] = [
        { ...at, expect: 'absent', put: { n: 1 } },
        { ...at, expect: 'absent', put: { n: 2 } },
      ];
      const pk = await reach(store, 'claimed');
      await expect(store.commit(twice)).rejects.toThrow(StoreUnavailableError);
      await expect(store.write(gate(pk), twice)).rejects.toThrow(StoreUnavailableError);
      expect(await store.record(at)).toBeUndefined();
      expect((await store.read(pk))?.status).toBe('claimed');
    });
  });

  it('what a caller does to its own objects never reaches a record', async () => {
    const mine = { lines: ['a'] };
    const at = await recorded(mine);
    mine.lines.push('b');
    const found = (await store.record(at)) as { lines: string[] };
    expect(found).toStrictEqual({ lines: ['a'] });
    found.lines.push('c');
    expect(await store.record(at)).toStrictEqual({ lines: ['a'] });
  });
}
