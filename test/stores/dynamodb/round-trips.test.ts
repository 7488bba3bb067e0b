import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AnswerCache } from '../../../lib/idempotency/answer-cache.ts';
import { begin } from '../../../lib/idempotency/begin.ts';
import type { ClaimedClaim, ExecutingClaim, StoredResponse } from '../../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../../lib/idempotency/fingerprint.ts';
import { GatedOperation } from '../../../lib/idempotency/gated-operation.ts';
import type { Protocol } from '../../../lib/idempotency/protocol.ts';
import { UngatedOperation } from '../../../lib/idempotency/ungated-operation.ts';
import { paymentEffect } from '../../../lib/payments/effect.ts';
import { systemAmbient as ambient } from '../../../lib/runtime/ambient.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';
import { freshPk } from '../../contract/samples.ts';
import { type Engine, startEngine, testClient } from '../../support/engine.ts';
import { fakeBank } from '../../support/fake-bank.ts';
import { type LossyProxy, lossyProxy } from '../../support/lossy-proxy.ts';
import { codeOf } from '../../support/scene.ts';

let engine: Engine;
let proxy: LossyProxy;
let protocol: Protocol;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await lossyProxy(engine.endpoint);
  const store = dynamoDbStore({ client: testClient(proxy.endpoint), tableName: engine.tableName, ambient });
  protocol = { store, ambient, retentionMs: 60_000, observe: () => {} };
});
afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

const OPERATIONS = ['PutItem', 'UpdateItem', 'DeleteItem', 'GetItem', 'BatchGetItem', 'TransactWriteItems', 'Query'];
const total = () => OPERATIONS.reduce((sum, operation) => sum + proxy.count(operation), 0);
let before = 0;
beforeEach(() => {
  before = total();
});

/** Requests that reached the engine since the last question. */
function requests(): number {
  const now = total();
  const since = now - before;
  before = now;
  return since;
}

const attempt = (pk: string, fingerprint = 'f1:x') => ({
  pk,
  scope: 'scope',
  fingerprint: fingerprint as Fingerprint,
  budget: { remainingMs: () => 20_000 },
  mismatchStatus: 422,
  links: [],
});
const POLICY = { keep: 'final', on5xx: 'release' } as const;
const answer = (bytes: number): StoredResponse => ({ status: 201, headers: {}, body: randomBytes(bytes) });

async function run(with_: Protocol, pk: string): Promise<UngatedOperation> {
  const begun = await begin(with_, attempt(pk));
  if (begun.kind !== 'run') throw new Error(codeOf(begun));
  return new UngatedOperation(with_, begun.claim as ExecutingClaim, POLICY); // Claimed without an effect.
}

describe('a plain handler costs', () => {
  it('two requests the first time, and one for a replay, a duplicate in flight and a mismatch', async () => {
    const pk = freshPk();
    const operation = await run(protocol, pk);
    expect(requests()).toBe(1);
    expect(codeOf(await begin(protocol, attempt(pk)))).toBe('409 idempotency-key-in-progress');
    expect(requests()).toBe(1);
    await operation.complete(answer(200));
    expect(requests()).toBe(1);
    expect(codeOf(await begin(protocol, attempt(pk)))).toBe('201 replayed');
    expect(requests()).toBe(1);
    expect(codeOf(await begin(protocol, attempt(pk, 'f1:other')))).toBe('422 idempotency-key-reused');
    expect(requests()).toBe(1);
  });

  it('one more each for the bytes of a large answer, and none for a mismatch over one', async () => {
    const pk = freshPk();
    const operation = await run(protocol, pk);
    await operation.complete(answer(10_000));
    expect(requests()).toBe(3);
    expect(codeOf(await begin(protocol, attempt(pk)))).toBe('201 replayed');
    expect(requests()).toBe(2);
    expect(codeOf(await begin(protocol, attempt(pk, 'f1:other')))).toBe('422 idempotency-key-reused');
    expect(requests()).toBe(1);
  });

  it('none for a cached replay, whether this environment answered first or only once before', async () => {
    const cached = { ...protocol, cache: new AnswerCache(100_000) };
    const pk = freshPk();
    await (await run(cached, pk)).complete(answer(10_000));
    requests();
    expect(codeOf(await begin(cached, attempt(pk)))).toBe('201 replayed');
    expect(requests()).toBe(0);

    const elsewhere = { ...protocol, cache: new AnswerCache(100_000) };
    expect(codeOf(await begin(elsewhere, attempt(pk)))).toBe('201 replayed');
    expect(requests()).toBe(2);
    expect(codeOf(await begin(elsewhere, attempt(pk)))).toBe('201 replayed');
    expect(requests()).toBe(0);
    expect(codeOf(await begin(elsewhere, attempt(pk, 'f1:other')))).toBe('422 idempotency-key-reused');
    expect(requests()).toBe(1);
  });
});

describe('a payment costs', () => {
  it.each([
    ['succeeded', '201'],
    ['declined', '402'],
  ] as const)('three requests the first time and at most two for a replay, when it has %s', async (state, status) => {
    const bank = fakeBank();
    bank.begins = state;
    const pays = paymentEffect(bank, 'https://docs.example.com');
    const pk = freshPk();
    const asked = { ...attempt(pk), effect: pays };
    const begun = await begin(protocol, asked);
    if (begun.kind !== 'run') throw new Error(codeOf(begun));
    const command = {
      tenant: null,
      orderId: `order-${pk}`,
      amount: 500,
      currency: 'UZS',
      paymentMethod: 'pm_card_visa',
    };
    const operation = new GatedOperation(protocol, pays, begun.claim as ClaimedClaim, asked.budget);
    expect(codeOf(await operation.perform(command))).toBe(status);
    expect(requests()).toBe(3);
    expect(codeOf(await begin(protocol, asked))).toBe(`${status} replayed`);
    expect(requests()).toBeLessThanOrEqual(2);
  });
});
