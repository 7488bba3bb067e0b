import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../../lib/stores/dynamodb/item.ts';
import { claim, freshPk, ungated } from '../../contract/samples.ts';
import { type AnswersTable, answered, answersTable, isPart, OUTLINE } from './answers-table.ts';

let table: AnswersTable;
beforeAll(async () => {
  table = await answersTable();
});
afterAll(() => table.stop());

describe('a write of parts that fails', () => {
  it.each([
    ['at once', () => Promise.reject(new Error('throttled'))],
    [
      'for one of them',
      (input: Item) =>
        String((input['Item'] as Item)['pk']).endsWith('/1') ? Promise.reject(new Error('throttled')) : undefined,
    ],
  ])('never keeps its claim from being settled: %s', async (_, fault) => {
    const store = table.store(table.intercepted((input) => (isPart(input) ? fault(input) : undefined)));
    const pk = freshPk();
    await store.write(claim(ungated(pk)));
    const result = await store.write(answered(pk, randomBytes(500_000)));
    expect(result).toStrictEqual({ kind: 'applied', answerLost: 'Error: throttled' });
    expect(await table.responseOf(pk)).toStrictEqual(OUTLINE);
    expect((await table.claimItem(pk))['response']).toStrictEqual({ ...OUTLINE, lost: true });
  });

  it('takes two seconds of the settlement’s time at most', async () => {
    const waits = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const store = table.store(
      table.intercepted((input, _, signal) => (isPart(input) && signal !== undefined ? waits(signal) : undefined)),
    );
    const start = performance.now();
    const pk = await table.settled(randomBytes(5_000), store);
    expect(performance.now() - start).toBeGreaterThan(1_900);
    expect(await table.responseOf(pk)).toStrictEqual(OUTLINE);
  });

  it('gives the other parts up', async () => {
    const signals: AbortSignal[] = [];
    const firstFails = table.intercepted((input, _, signal) => {
      if (!isPart(input) || signal === undefined) return undefined;
      return signals.push(signal) === 1 ? Promise.reject(new Error('throttled')) : new Promise(() => {});
    });
    await table.settled(randomBytes(500_000), table.store(firstFails));
    expect(signals.map(({ aborted }) => aborted)).toStrictEqual([true, true]);
  });

  it('an answer beyond what Lambda can return is not written at all', async () => {
    const pk = freshPk();
    await table.store().write(claim(ungated(pk)));
    const result = await table.store().write(answered(pk, randomBytes(6_600_000)));
    expect(result).toStrictEqual({ kind: 'applied', answerLost: 'RangeError: The answer takes 17 items of 400 kB.' });
    expect(await table.partsOf(pk)).toStrictEqual([]);
  });

  it('says nothing of where a thing is that has no Location', async () => {
    const store = table.store(
      table.intercepted((input) => (isPart(input) ? Promise.reject(new Error('x')) : undefined)),
    );
    const pk = freshPk();
    await store.write(claim(ungated(pk)));
    await store.write({
      ...answered(pk, randomBytes(5_000)),
      response: { status: 200, headers: { etag: '"1"' }, body: randomBytes(5_000) },
    });
    expect(await table.responseOf(pk)).toStrictEqual({ status: 200, headers: {} });
  });
});
