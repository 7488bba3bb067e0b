import { randomUUID } from 'node:crypto';
import type { Store } from '../../lib/idempotency/store.ts';
import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { makeTable, startEngine } from '../support/engine.ts';

/** Stores that are empty at first, one after the other. */
export interface FreshStores {
  next(): Promise<Store>;
  stop(): Promise<void>;
}

export const memoryStores: FreshStores = {
  next: async () => memoryStore({ now: ambient.now }),
  stop: async () => {},
};

/** Each reset gets a table of its own, because a request of before the reset may still be writing to the last one. */
export async function dynamoDbStores(): Promise<FreshStores> {
  const { client, stop } = await startEngine();
  return {
    async next() {
      const tableName = `chipta-${randomUUID()}`;
      await makeTable(client, tableName);
      return dynamoDbStore({ client, tableName, ambient });
    },
    stop,
  };
}
