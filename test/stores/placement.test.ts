import { expect, it } from 'vitest';
import { DUE_SHARDS } from '../../lib/contract/table.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { shardOf } from '../../lib/stores/placement.ts';
import { freshPk, NOW } from '../contract/samples.ts';

it('claims spread evenly over the shards', () => {
  const counts = Array.from({ length: 8 }, () => 0);
  for (let n = 0; n < 8_000; n++) {
    const shard = shardOf(freshPk(), 8);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(800);
  expect(counts).toHaveLength(8);
});

it('a key keeps its shard in every process and version', () => {
  expect(shardOf('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU', 8)).toMatchInlineSnapshot(`5`);
});

it('the memory store has as many shards as the table', () => {
  expect(memoryStore({ now: () => NOW }).shards).toBe(DUE_SHARDS);
});
