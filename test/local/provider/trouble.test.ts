import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { charge, type Direct, INTENTS, startDirect } from './direct.ts';

const lost = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    () => 'lost',
  );

const listed = async (provider: Direct): Promise<number> =>
  ((await provider.get(INTENTS)).body as unknown as { data: unknown[] }).data.length;

describe('payment methods that lose answers', () => {
  it.each(['pm_sim_drop', 'pm_sim_lag'])('%s charges, closes the socket, and replays the success', async (method) => {
    const provider = await startDirect();
    expect(await lost(provider.post(INTENTS, charge(method), 'k'))).toBe('lost');
    expect(await provider.ledger()).toHaveLength(1);
    const again = await provider.post(INTENTS, charge(method), 'k');
    expect(again.body).toMatchObject({ status: 'succeeded' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('pm_sim_lag hides the payment from look-ups for five seconds', async () => {
    const provider = await startDirect();
    await lost(provider.post(INTENTS, charge('pm_sim_lag'), 'k'));
    const [movement] = await provider.ledger();
    expect(await listed(provider)).toBe(0);
    expect((await provider.get(`${INTENTS}/${movement?.['paymentIntent']}`)).status).toBe(404);
    provider.clock.offsetMs = 5_001;
    expect(await listed(provider)).toBe(1);
    expect((await provider.get(`${INTENTS}/${movement?.['paymentIntent']}`)).status).toBe(200);
  });

  it('pm_sim_hang charges and never answers, and replays the success to a resend', async () => {
    const provider = await startDirect();
    const first = lost(provider.post(INTENTS, charge('pm_sim_hang'), 'k'));
    expect(await Promise.race([first, sleep(300, 'waiting')])).toBe('waiting');
    expect(await provider.ledger()).toHaveLength(1);
    expect((await provider.post(INTENTS, charge('pm_sim_hang'), 'k')).body).toMatchObject({ status: 'succeeded' });
  });

  it('pm_sim_slow charges at once, and its key is in use until the answer has left', async () => {
    const provider = await startDirect();
    const first = provider.post(INTENTS, charge('pm_sim_slow'), 'k');
    await sleep(200);
    expect(await provider.ledger()).toHaveLength(1);
    const meanwhile = await provider.post(INTENTS, charge('pm_sim_slow'), 'k');
    expect(meanwhile.status).toBe(409);
    expect(meanwhile.headers.get('stripe-should-retry')).toBe('true');
    expect(meanwhile.body['error']).toMatchObject({ code: 'idempotency_key_in_use' });
    expect((await first).body).toMatchObject({ status: 'succeeded' });
    expect((await provider.post(INTENTS, charge('pm_sim_slow'), 'k')).headers.get('idempotent-replayed')).toBe('true');
  });

  it('pm_sim_refuse closes the socket each time and leaves the key free', async () => {
    const provider = await startDirect();
    for (const _ of [1, 2]) expect(await lost(provider.post(INTENTS, charge('pm_sim_refuse'), 'k'))).toBe('lost');
    expect(await provider.ledger()).toEqual([]);
    expect((await provider.post(INTENTS, charge(), 'k')).status).toBe(200);
  });

  it('pm_sim_500_before answers 500 each time and leaves the key free', async () => {
    const provider = await startDirect();
    for (const _ of [1, 2]) {
      const failed = await provider.post(INTENTS, charge('pm_sim_500_before'), 'k');
      expect(failed.status).toBe(500);
      expect(failed.headers.get('idempotent-replayed')).toBeNull();
    }
    expect((await provider.post(INTENTS, charge(), 'k')).status).toBe(200);
    expect(await listed(provider)).toBe(1);
  });

  it.each([
    ['pm_sim_500_after', 1],
    ['pm_sim_500_stored', 0],
  ])('%s stores the 500 and replays it, with %i charge', async (method, charges) => {
    const provider = await startDirect();
    const first = await provider.post(INTENTS, charge(method), 'k');
    const again = await provider.post(INTENTS, charge(method), 'k');
    expect([first.status, again.status]).toEqual([500, 500]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('stripe-should-retry')).toBe('false');
    expect(await provider.ledger()).toHaveLength(charges);
    expect(await listed(provider)).toBe(charges);
  });

  it('plays no tricks on an intent that is not confirmed', async () => {
    const provider = await startDirect();
    const made = await provider.post(INTENTS, { ...charge('pm_sim_drop'), confirm: 'false' });
    expect(made.body).toMatchObject({ status: 'requires_confirmation' });
    expect(await lost(provider.post(`${INTENTS}/${made.body['id']}/confirm`, {}))).toBe('lost');
    expect(await provider.ledger()).toHaveLength(1);
  });
});

describe('faults ordered for the next calls', () => {
  it.each([
    ['refuse', 0],
    ['drop_before', 0],
    ['drop_after', 1],
    ['lag', 1],
  ])('%s loses the next answer only, with %i charge', async (fault, charges) => {
    const provider = await startDirect();
    expect((await provider.fault({ fault })).body).toEqual({ pending: 1 });
    expect(await lost(provider.post(INTENTS, charge(), 'k'))).toBe('lost');
    expect(await provider.ledger()).toHaveLength(charges);
    expect((await provider.post(INTENTS, charge(), 'k')).status).toBe(200);
    expect(await provider.ledger()).toHaveLength(1);
  });

  it.each([
    ['429', 429, 0],
    ['500_before', 500, 0],
    ['500_after', 500, 1],
    ['500_stored', 500, 0],
  ])('%s answers %i with %i charge, as often as ordered', async (fault, status, charges) => {
    const provider = await startDirect();
    await provider.fault({ fault, times: 2 });
    expect((await provider.post(INTENTS, charge(), 'k1')).status).toBe(status);
    expect((await provider.post(INTENTS, charge(), 'k2')).status).toBe(status);
    expect(await provider.ledger()).toHaveLength(2 * charges);
    expect((await provider.post(INTENTS, charge(), 'k3')).status).toBe(200);
  });

  it('slow and hang hold an answer back, a replayed one too', async () => {
    const provider = await startDirect();
    await provider.post(INTENTS, charge(), 'k');
    await provider.fault({ fault: 'slow', ms: 300 });
    const slow = provider.post(INTENTS, charge(), 'k');
    expect(await Promise.race([slow, sleep(100, 'waiting')])).toBe('waiting');
    expect((await slow).headers.get('idempotent-replayed')).toBe('true');
    await provider.fault({ fault: 'hang' });
    expect(await Promise.race([lost(provider.get(INTENTS)), sleep(200, 'waiting')])).toBe('waiting');
  });

  it('slow without a key only delays', async () => {
    const provider = await startDirect();
    await provider.fault({ fault: 'slow', ms: 50 });
    expect((await provider.post(INTENTS, charge())).body).toMatchObject({ status: 'succeeded' });
  });

  it('a caller that gives up while it waits gets its stored answer later', async () => {
    const provider = await startDirect();
    await provider.fault({ fault: 'slow', ms: 300 });
    const given = fetch(`${provider.url}${INTENTS}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_local', 'idempotency-key': 'k' },
      body: new URLSearchParams(charge()),
      signal: AbortSignal.timeout(100),
    });
    expect(await lost(given)).toBe('lost');
    await sleep(400);
    expect((await provider.post(INTENTS, charge(), 'k')).headers.get('idempotent-replayed')).toBe('true');
  });

  it('names what is allowed when it is asked for anything else', async () => {
    const provider = await startDirect();
    const { status, body } = await provider.fault({ fault: 'earthquake' });
    expect(status).toBe(400);
    const { message } = body['error'] as unknown as { message: string };
    for (const name of ['refuse', 'drop_before', 'drop_after', 'hang', 'slow', '500_before', '500_after', '429', 'lag'])
      expect(message).toContain(name);
    expect((await provider.fault({ fault: 'slow', times: 0 })).status).toBe(400);
    expect((await provider.fault({ fault: 'slow', ms: -1 })).status).toBe(400);
    for (const body of ['no json', '[]']) {
      expect((await fetch(`${provider.url}/local/faults`, { method: 'POST', body })).status).toBe(400);
    }
  });

  it('counts what it holds', async () => {
    const provider = await startDirect();
    await provider.post(INTENTS, charge(), 'k');
    await provider.fault({ fault: 'slow', times: 3 });
    expect((await provider.get('/local/state')).body).toEqual({ intents: 1, movements: 1, keys: 1, faults: 3 });
  });
});
