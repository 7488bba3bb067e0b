import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Due } from '../../lib/idempotency/store.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { nameOf } from '../../lib/stores/placement.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { type Step, steps } from './arbitrary.ts';
import { dueOfAllShards } from './due-index.ts';
import { NOW } from './samples.ts';

const RUNS = 200;

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** Runs share a table, so each renames what it writes to. */
function renamed({ write, alongside }: Step, run: string): Step {
  const named: Write =
    write.kind === 'claim'
      ? { ...write, claim: { ...write.claim, pk: run + write.claim.pk } }
      : { ...write, pk: run + write.pk };
  return { write: named, alongside: alongside.map((domain) => ({ ...domain, key: run + domain.key })) };
}

it('any sequence of writes has the same results and leaves the same items in memory and in DynamoDB', async () => {
  const ambient = { id: randomUUID, random: Math.random, sleep: (ms: number) => sleep(ms) };
  const table = dynamoDbStore({ client: engine.client, tableName: engine.tableName, ambient });
  const [pks, keys] = [
    ['a', 'b'],
    ['x', 'y'],
  ];
  const applied = new Set<Write['kind']>();
  const kinds = new Set<string>();

  const sameOnBoth = async (sequence: readonly Step[]) => {
    const run = `${randomUUID()}-`;
    const memory = memoryStore({ now: () => NOW });
    for (const step of sequence) {
      const { write, alongside } = renamed(step, run);
      const [inMemory, inTable] = [await memory.write(write, alongside), await table.write(write, alongside)];
      expect(inTable).toStrictEqual(inMemory);
      kinds.add(inMemory.kind);
      if (inMemory.kind === 'applied') applied.add(write.kind);
    }
    for (const pk of pks) expect(await table.read(run + pk)).toStrictEqual(await memory.read(run + pk));
    for (const key of keys) {
      const at = { table: 'orders', key: run + key };
      expect(await table.record(at)).toStrictEqual(await memory.record(at));
    }
    const ofRun = (due: readonly Due[]) =>
      due.filter((entry) => nameOf(entry).includes(run)).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    expect(ofRun(await dueOfAllShards(table))).toStrictEqual(ofRun(await dueOfAllShards(memory)));
  };

  await fc.assert(fc.asyncProperty(steps(pks, keys), sameOnBoth), { numRuns: RUNS });
  // The values are few enough for every write to have found its way.
  expect([...applied].toSorted()).toStrictEqual(
    [
      'claim',
      'gate',
      'hand-off',
      'lease',
      'quarantine',
      'release',
      'release-ungated',
      'settle',
      'take-over',
    ].toSorted(),
  );
  expect([...kinds].toSorted()).toStrictEqual(['already', 'applied', 'blocked', 'refused']);
}, 120_000);
