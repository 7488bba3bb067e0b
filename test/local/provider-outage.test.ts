import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Messages, startMessages, until } from './messages.ts';

let local: Messages;
beforeAll(async () => {
  local = await startMessages();
});
afterAll(() => local.stop());

describe('an outage of the provider', () => {
  it('refuses calls and holds webhooks back, and ends with everything as it was', async () => {
    const { id } = await local.pay('o-4', 'pm_sim_async');
    await until(() => local.typesOf('o-4').length === 2);
    expect(await local.control('provider?do=stop')).toEqual({ status: 200, body: { provider: 'stopped' } });
    await expect(local.stripe.paymentIntents.retrieve(id)).rejects.toMatchObject({ detail: { code: 'ECONNREFUSED' } });
    await sleep(3000);
    expect(local.typesOf('o-4')).toEqual(['created', 'processing']);
    expect(await local.read('ledger')).toBeInstanceOf(Array);
    expect(await local.control('provider?do=start')).toEqual({ status: 200, body: { provider: 'running' } });
    expect((await local.stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
    await until(() => local.typesOf('o-4').length === 3);
    expect(local.typesOf('o-4')).toContain('succeeded');
  });

  it('cuts off the calls that are on their way', async () => {
    const paying = local.pay('o-5', 'pm_sim_slow').catch((error: unknown) => error);
    await sleep(300);
    await local.control('provider?do=stop');
    expect(await paying).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    await local.control('provider?do=start');
  });

  it('can be asked for again and again, and for nothing else', async () => {
    for (const wish of ['stop', 'stop', 'start', 'start'])
      expect((await local.control(`provider?do=${wish}`)).status).toBe(200);
    expect((await local.control('provider?do=explode')).status).toBe(400);
  });

  it('that came of a crash is reported, and ended by starting it anew', async () => {
    for (const pid of simulators()) process.kill(pid, 'SIGKILL');
    await until(() => local.log.some((line) => line === '[provider] has ended; every call to it is refused'));
    await expect(local.pay('o-6')).rejects.toMatchObject({ detail: { code: 'ECONNREFUSED' } });
    expect((await local.control('ledger', 'GET')).status).toBe(502);
    await local.control('provider?do=start');
    expect((await local.pay('o-7')).status).toBe('succeeded');
    await until(() => local.typesOf('o-7').length === 2);
  });
});

/** The simulators that this process started. */
function simulators(): number[] {
  return execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...args]) => parent === String(process.pid) && args.some((arg) => arg.endsWith('provider/main.ts')),
    )
    .map(([pid]) => Number(pid));
}
