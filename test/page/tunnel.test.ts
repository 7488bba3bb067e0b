import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClaimView, Fault } from '../../lib/local/page/wire.ts';
import { type Local, orderId, payment, startLocal } from '../acceptance/local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.stop());

async function throughTunnel(order: string, key: string, fault: Fault, attempt: string = randomUUID()) {
  const token = (await local.request('/local/token?sub=alice')).text;
  return local.request('/local/tunnel/payments', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      'x-tunnel-fault': fault,
      'x-tunnel-attempt': attempt,
    },
    body: JSON.stringify(payment(order)),
  });
}

it('carries a request to the service and its answer back', async () => {
  const [order, key] = [orderId(), randomUUID()];
  const first = await throughTunnel(order, key, 'none');
  const direct = await local.pay(key, payment(order));
  expect([first.status, first.text]).toEqual([201, direct.text]);
  expect(direct.headers.get('idempotency-replayed')).toBe('true');
});

it('cuts the connection before anything arrives', async () => {
  const [order, key] = [orderId(), randomUUID()];
  await expect(throughTunnel(order, key, 'before')).rejects.toThrow();
  expect(await local.ledger(order)).toEqual([]);
  expect((await local.get(`/idempotency-keys/${key}`)).status).toBe(404);
});

it('cuts the connection in front of an answer that was given', async () => {
  const [order, key] = [orderId(), randomUUID()];
  await expect(throughTunnel(order, key, 'after')).rejects.toThrow();
  expect(await local.ledger(order)).toHaveLength(1);
  expect((await throughTunnel(order, key, 'none')).headers.get('idempotency-replayed')).toBe('true');
});

it('takes what a browser resends by itself for the same attempt, and loses it again', async () => {
  const [order, key, attempt] = [orderId(), randomUUID(), randomUUID()];
  await expect(throughTunnel(order, key, 'before', attempt)).rejects.toThrow();
  await expect(throughTunnel(order, key, 'none', attempt)).rejects.toThrow();
  expect(await local.ledger(order)).toEqual([]);
});

it('lists the claims with their orders, and no key', async () => {
  const [order, key] = [orderId(), randomUUID()];
  await local.pay(key, payment(order));
  const { text } = await local.request('/local/claims');
  const claim = (JSON.parse(text) as ClaimView[]).find((each) => each.orderId === order);
  expect(claim).toMatchObject({ status: 'done', answered: 201, settledBy: expect.any(String), result: 'performed' });
  expect(text).not.toContain(key);
});

it('serves the page to this machine only, and nothing else under its path', async () => {
  const page = await local.request('/');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await local.request('/local/page/main.ts')).status).toBe(404);
  expect((await local.request('/', { method: 'POST' })).status).toBe(405);
});
