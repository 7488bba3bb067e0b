import { describe, expect, it } from 'vitest';
import { charge, INTENTS, startDirect } from './direct.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('idempotency keys at the simulator', () => {
  it('replays the first answer for the same key and parameters, in whatever order they come', async () => {
    const provider = await startDirect();
    const first = await provider.post(INTENTS, charge(), 'k');
    const again = await provider.post(INTENTS, Object.fromEntries(Object.entries(charge()).reverse()), 'k');
    expect(again.body).toEqual(first.body);
    expect(again.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('refuses other parameters under a used key and does nothing', async () => {
    const provider = await startDirect();
    await provider.post(INTENTS, charge(), 'k');
    const other = await provider.post(INTENTS, charge('pm_card_visa', { amount: '5' }), 'k');
    expect(other.status).toBe(400);
    expect(other.body['error']).toMatchObject({ type: 'idempotency_error' });
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('compares lists in their order', async () => {
    const provider = await startDirect();
    const types = (...names: string[]) => ({
      ...charge(),
      ...Object.fromEntries(names.map((name, i) => [`payment_method_types[${i}]`, name])),
    });
    const first = await provider.post(INTENTS, types('card', 'link'), 'k');
    expect(first.body).toMatchObject({ payment_method_types: ['card', 'link'] });
    expect((await provider.post(INTENTS, types('card', 'link'), 'k')).body).toEqual(first.body);
    expect((await provider.post(INTENTS, types('link', 'card'), 'k')).status).toBe(400);
  });

  it('refuses a key on another endpoint than its first', async () => {
    const provider = await startDirect();
    const intent = await provider.post(INTENTS, { amount: '5', currency: 'usd' }, 'k');
    const cancel = await provider.post(`${INTENTS}/${intent.body['id']}/cancel`, {}, 'k');
    expect(cancel.body['error']).toMatchObject({ type: 'idempotency_error' });
  });

  it('keeps nothing of a request that was refused in validation', async () => {
    const provider = await startDirect();
    expect((await provider.post(INTENTS, charge('pm_card_visa', { amount: '-1' }), 'k')).status).toBe(400);
    expect((await provider.post(INTENTS, charge('pm_unheard_of'), 'k')).status).toBe(400);
    expect((await provider.post(INTENTS, charge(), 'k')).status).toBe(200);
  });

  it('replays a stored decline', async () => {
    const provider = await startDirect();
    const first = await provider.post(INTENTS, charge('pm_card_chargeDeclined'), 'k');
    const again = await provider.post(INTENTS, charge('pm_card_chargeDeclined'), 'k');
    expect([first.status, again.status]).toEqual([402, 402]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  it('forgets a key after 24 hours by its own clock', async () => {
    const provider = await startDirect();
    await provider.post(INTENTS, charge(), 'k');
    provider.clock.offsetMs = DAY_MS - 60_000;
    expect((await provider.post(INTENTS, charge(), 'k')).headers.get('idempotent-replayed')).toBe('true');
    provider.clock.offsetMs = DAY_MS + 1;
    expect((await provider.post(INTENTS, charge(), 'k')).headers.get('idempotent-replayed')).toBeNull();
    expect(await provider.ledger()).toHaveLength(2);
  });

  it('executes each time without a key', async () => {
    const provider = await startDirect();
    await provider.post(INTENTS, charge());
    await provider.post(INTENTS, charge());
    expect(await provider.ledger()).toHaveLength(2);
  });
});
