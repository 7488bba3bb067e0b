import { describe, expect, test } from 'vitest';
import { foreign, unknown } from '../support/fake-effect.ts';
import { declinedCard, scriptedProvider, succeeded } from '../support/scripted-provider.ts';
import { paymentsService, RETENTION_MS } from './payments-service.ts';

describe('a payment', () => {
  test('is shown to whom it belongs, without what is nobody’s business', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    const paid = await s.pay();
    const shown = await s.getPayment(String(paid.json['id']));
    expect([shown.status, shown.json]).toEqual([200, paid.json]);
    expect(shown.headers['cache-control']).toBe('no-store');
  });

  // C19
  test.each([
    ['another caller', { claims: { sub: 'bob' } }],
    ['nobody', { claims: null }],
  ])('does not exist for %s', async (_, parts) => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    const id = String((await s.pay()).json['id']);
    const reply = await s.getPayment(id, parts);
    expect([reply.status, reply.json['code']]).toEqual([404, 'payment-not-found']);
    expect(reply.body).not.toContain('order-1');
  });

  test.each(['pay_unknown', ''])('called "%s" does not exist', async (id) => {
    const s = paymentsService(scriptedProvider({}));
    expect((await s.getPayment(id)).status).toBe(404);
    expect((await s.getPayment(id, { parameters: {} })).status).toBe(404);
  });

  test('cannot be shown while the store is down', async () => {
    const s = paymentsService(scriptedProvider({}));
    s.store.isDown = true;
    const reply = await s.getPayment('pay_1');
    expect([reply.status, reply.json['code'], s.errors.length]).toEqual([503, 'store-unavailable', 1]);
  });
});

describe('the state of a key', () => {
  test('that is done leads to the payment', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    const paid = await s.pay();
    expect((await s.getKey('k')).json).toEqual({
      state: 'completed',
      status: 201,
      location: paid.headers['location'],
      expiresAt: new Date(s.ambient.now() + RETENTION_MS).toISOString(),
      settledBy: 'owner',
    });
  });

  test('that is done without a payment leads nowhere', async () => {
    const s = paymentsService(scriptedProvider({ perform: [declinedCard] }));
    await s.pay();
    expect((await s.getKey('k')).json).toMatchObject({ state: 'completed', status: 402 });
    expect((await s.getKey('k')).json).not.toHaveProperty('location');
  });

  test('that is running says when to ask again', async () => {
    const provider = scriptedProvider({ perform: [() => new Promise(() => {})] });
    const s = paymentsService(provider);
    void s.pay();
    await expect.poll(() => provider.calls.length).toBe(1);
    const reply = await s.getKey('k');
    expect([reply.status, reply.json, reply.headers['retry-after']]).toEqual([200, { state: 'in-progress' }, '15']);
  });

  test('that is in doubt is pending, and under review when no machine can settle it', async () => {
    const s = paymentsService(scriptedProvider({ perform: [unknown], lookup: [foreign] }));
    await s.pay();
    expect((await s.getKey('k')).json).toEqual({ state: 'pending' });
    await s.reconcile();
    expect((await s.getKey('k')).json).toEqual({ state: 'under-review' });
    expect((await s.pay()).json['code']).toBe('under-review');
    expect(s.reports.map(({ quarantined }) => quarantined)).toEqual([1]);
  });

  test('that may be any key is found as it was sent, with its signs', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded, succeeded] }));
    await s.pay({}, { key: 'a/b%2Fc' });
    expect((await s.getKey('a/b%2Fc')).json['state']).toBe('completed');
    expect((await s.getKey('a/b/c')).status).toBe(404);
  });

  // A20, C19
  test.each([
    ['that nobody has used', 'other', {}],
    ['of another caller', 'k', { claims: { sub: 'bob' } }],
    ['that no key could be', 'ü', {}],
    ['that was not given', 'k', { parameters: {} }],
  ])('%s is not known', async (_, key, parts) => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    await s.pay();
    const reply = await s.getKey(key, parts);
    expect([reply.status, reply.json['code']]).toEqual([404, 'idempotency-key-not-found']);
  });

  test('that has expired is not known any more', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    await s.pay();
    s.ambient.advance(RETENTION_MS + 1_000);
    expect((await s.getKey('k')).status).toBe(404);
  });

  test('is nobody’s without a caller', async () => {
    const s = paymentsService(scriptedProvider({}));
    expect((await s.getKey('k', { claims: null })).json).toMatchObject({ status: 401, code: 'principal-missing' });
  });

  test('that newer code wrote cannot be told', async () => {
    const s = paymentsService(scriptedProvider({}));
    s.store.read = async () => ({ status: 'newer', v: 2, pk: 'pk' });
    expect((await s.getKey('k')).json).toMatchObject({ status: 503, code: 'store-unavailable' });
  });
});
