import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../lib/idempotency/begin.ts';
import { begin } from '../../lib/idempotency/begin.ts';
import { ALGORITHMS, type Algorithms, type Fingerprint, fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import type { JsonObject } from '../../lib/idempotency/json.ts';
import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { beginByStoredRules } from '../../lib/middy/begin-by-stored-rules.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { type EventParts, invoke } from '../support/events.ts';
import { budgetOf, fakeAmbient } from '../support/fake-ambient.ts';
import { fakeEffect } from '../support/fake-effect.ts';
import { codeOf } from '../support/scene.ts';
import { type ServiceOptions, service } from '../support/service.ts';

const sent = (createdAt: number, amount = 1): EventParts => ({
  key: 'k',
  body: JSON.stringify({ amount, sdkData: { createdAt, version: 2 } }),
});
const EXCLUDE: ServiceOptions = { fingerprint: { exclude: ['/sdkData/createdAt'] } };

describe('fields that change with every attempt', () => {
  // C16
  test('make another request by default', async () => {
    const s = service();
    await invoke(s.handler, sent(1));
    expect((await invoke(s.handler, sent(2))).status).toBe(422);
  });

  // C16
  test('do not when they are excluded, or when others are selected', async () => {
    for (const options of [EXCLUDE, { fingerprint: { include: ['/amount'] } }]) {
      const s = service(options);
      await invoke(s.handler, sent(1));
      expect((await invoke(s.handler, sent(2))).headers['idempotency-replayed']).toBe('true');
      expect((await invoke(s.handler, sent(2, 3))).status).toBe(422);
    }
  });

  // C16: a field list is about JSON that says nothing but what is parsed of it.
  test.each([
    ['a body that is not JSON', { headers: { 'content-type': 'text/plain' } }, ''],
    ['a body that parsing would distort', {}, ',"amount":1'],
  ])('count in %s', async (_, part, twice) => {
    const s = service(EXCLUDE);
    const body = (createdAt: number) => `{"amount":1,"sdkData":{"createdAt":${createdAt}}${twice}}`;
    await invoke(s.handler, { key: 'k', ...part, body: body(1) });
    expect((await invoke(s.handler, { key: 'k', ...part, body: body(1) })).headers['idempotency-replayed']).toBe(
      'true',
    );
    expect((await invoke(s.handler, { key: 'k', ...part, body: body(2) })).status).toBe(422);
  });

  // C16
  test('never include the date, the trace or the signature of a request', async () => {
    const s = service();
    const headers = (n: number) => ({ date: `${n}`, 'user-agent': `${n}`, traceparent: `${n}`, signature: `${n}` });
    await invoke(s.handler, { ...sent(1), headers: headers(1) });
    const again = await invoke(s.handler, { ...sent(1), headers: headers(2) });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });
});

describe('a deployment that changes which fields count', () => {
  /** The same store, one deployment later. */
  const redeployed = (s: ReturnType<typeof service>, options: ServiceOptions) =>
    service({ store: s.store, ambient: s.ambient, ...options });

  test.each<[string, ServiceOptions, ServiceOptions]>([
    ['begins to exclude some', {}, EXCLUDE],
    ['excludes none any more', EXCLUDE, {}],
    ['excludes others', EXCLUDE, { fingerprint: { exclude: ['/amount'] } }],
    ['begins to select', EXCLUDE, { fingerprint: { include: ['/sdkData/version'] } }],
  ])('makes no other request of a retry: it %s', async (_, before, after) => {
    const old = service(before);
    await invoke(old.handler, sent(1));
    const now = redeployed(old, after);
    const retry = await invoke(now.handler, sent(1));
    expect([retry.status, retry.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(now.events.map(({ kind }) => kind)).toEqual(['replayed']);
  });

  test('still compares an old claim by the rules that it was made by, and a new one by the new', async () => {
    const old = service(EXCLUDE);
    await invoke(old.handler, sent(1));
    const now = redeployed(old, {});
    expect((await invoke(now.handler, sent(2))).headers['idempotency-replayed']).toBe('true');
    expect((await invoke(now.handler, sent(2, 9))).status).toBe(422);
    expect(now.events.map(({ kind }) => kind)).toEqual(['replayed', 'mismatch']);
    await invoke(now.handler, { ...sent(1), key: 'new' });
    expect((await invoke(now.handler, { ...sent(2), key: 'new' })).status).toBe(422);
  });

  test('leaves the claim of a request that is still running to its owner', async () => {
    const done = Promise.withResolvers<object>();
    const old = service(EXCLUDE, () => done.promise);
    const first = invoke(old.handler, sent(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const now = redeployed(old, {});
    expect((await invoke(now.handler, sent(1))).json['code']).toBe('idempotency-key-in-progress');
    done.resolve({ statusCode: 201, body: 'x' });
    await first;
    expect((await invoke(now.handler, sent(1))).body).toBe('x');
  });
});

describe('a deployment that changes the algorithm', () => {
  const request = {
    method: 'POST',
    route: 'POST /payments',
    parameters: {},
    query: [],
    contentType: 'text/plain',
    body: Buffer.from('x'),
  };
  /** A later version of this code: new claims are made by f2, old ones are still known. */
  const LATER: Algorithms = { current: 'f2', known: { ...ALGORITHMS.known, f2: ({ body }) => `${body.byteLength}` } };

  function scene() {
    const ambient = fakeAmbient();
    const events: ProtocolEvent[] = [];
    const store = memoryStore({ now: ambient.now });
    const protocol: Protocol = { store, ambient, retentionMs: 1_000, observe: (event) => events.push(event) };
    const attempt = (fingerprint: Fingerprint): Attempt<JsonObject> => {
      const budget = budgetOf(ambient, 10_000);
      return { pk: 'pk', scope: 'scope', fingerprint, budget, effect: fakeEffect({}), mismatchStatus: 422, links: [] };
    };
    const send = async (algorithms: Algorithms, body = 'x') => {
      const identity = { ...request, body: Buffer.from(body) };
      const made = attempt(fingerprintOf(identity, {}, algorithms));
      return codeOf(await beginByStoredRules(protocol, made, identity, algorithms));
    };
    return {
      ambient,
      events,
      send,
      begin: (fingerprint: string) => begin(protocol, attempt(fingerprint as Fingerprint)),
    };
  }

  test('knows its retries by the algorithm of their claims', async () => {
    const { send } = scene();
    expect(await send(ALGORITHMS)).toBe('run');
    expect(await send(LATER)).toBe('409 idempotency-key-in-progress');
    expect(await send(LATER, 'y')).toBe('422 idempotency-key-reused');
  });

  test('lets a retry take over what died before anything was sent', async () => {
    const { send, ambient, events } = scene();
    expect(await send(ALGORITHMS)).toBe('run');
    ambient.advance(60_000);
    expect(await send(LATER, 'y')).toBe('422 idempotency-key-reused');
    expect(await send(LATER)).toBe('run');
    expect(events.map(({ kind }) => kind)).toEqual(['claimed', 'mismatch', 'taken-over']);
  });

  test('and is rolled back asks for the same key later, and never for a new one', async () => {
    const { send, events } = scene();
    expect(await send(LATER)).toBe('run');
    expect(await send(ALGORITHMS)).toBe('503 store-unavailable');
    expect(events.map(({ kind }) => kind)).toEqual(['claimed', 'store-error']);
  });

  // C17
  test('matches nothing with a claim that has no fingerprint', async () => {
    const { send, begin } = scene();
    await begin('');
    expect(await send(ALGORITHMS)).toBe('422 idempotency-key-reused');
  });
});
