import { describe } from 'vitest';
import type { Store } from '../../lib/idempotency/store.ts';
import { bodies } from './bodies.ts';
import { domainWrites } from './domain-writes.ts';
import { dueIndex } from './due-index.ts';
import { races } from './races.ts';
import { recognitions, refusals } from './refusals.ts';
import { transitions } from './transitions.ts';

/** What every store must do, whatever it is made of. `makeStore` is called once for each chapter. */
export function storeContract(name: string, makeStore: () => Store): void {
  describe(`the ${name} store`, () => {
    describe('transitions', () => transitions(makeStore));
    describe('refusals', () => refusals(makeStore));
    describe('recognition of a write whose reply was lost', () => recognitions(makeStore));
    describe('races', () => races(makeStore));
    describe('domain writes', () => domainWrites(makeStore));
    describe('due index', () => dueIndex(makeStore));
    describe('bodies', () => bodies(makeStore));
  });
}
