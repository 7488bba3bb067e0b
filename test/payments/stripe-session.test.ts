import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stripeProvider } from '../../lib/payments/stripe/provider.ts';
import { adapter, newCall, now } from './stripe-call.ts';
import { answer, intentOf, scripted } from './stripe-script.ts';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from './stripe-tls-certificate.ts';

describe('the secret', () => {
  it('is asked for each call, so that a rotated one is used at once', async () => {
    let secret = 'sk_test_1';
    const call = newCall();
    const intent = answer(200, intentOf(call));
    const { stripe, asked } = await scripted([intent, intent, intent], { secret: async () => secret });
    await stripe.perform(call);
    await stripe.perform(call);
    secret = 'sk_test_2';
    await stripe.perform(call);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk_test_1',
      'Bearer sk_test_1',
      'Bearer sk_test_2',
    ]);
  });

  it.each([
    ['is empty', async () => ''],
    ['cannot be read', () => Promise.reject(new Error('access denied: sk_live_oops'))],
    ['does not come', () => new Promise<string>(() => {})],
  ])('that %s means that nothing was sent', async (_, secret) => {
    const { stripe, asked } = await scripted([], { secret });
    const evidence = await stripe.perform(newCall({}, { timeoutMs: 100 }));
    expect(evidence).toMatchObject({ kind: 'not-executed', reason: expect.stringMatching(/secret/) });
    expect(JSON.stringify(evidence)).not.toContain('sk_live');
    expect(asked).toEqual([]);
  });

  it('may throw at once without the call throwing', async () => {
    const { stripe } = await scripted([], {
      secret: () => {
        throw new Error('broken');
      },
    });
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'not-executed' });
  });
});

describe('the address', () => {
  it('is Stripe itself, over TLS, unless another one is given', async () => {
    const stripe = stripeProvider({ secret: async () => 'sk_test\n', now });
    expect(await stripe.perform(newCall())).toEqual({ kind: 'not-executed', reason: 'ERR_INVALID_CHAR' });
  });

  it('may speak TLS, where a lost answer is as unknown as anywhere', async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, TEST_CERTIFICATE]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const call = newCall();
    let requests = 0;
    const server = createServer({ key: TEST_PRIVATE_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
      requests += 1;
      request.resume();
      request.once('end', () => (requests === 1 ? answer(200, intentOf(call))(response) : response.destroy()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const stripe = adapter(`https://localhost:${(server.address() as AddressInfo).port}`);
    expect(await stripe.perform(call)).toMatchObject({ outcome: { result: 'performed' } });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown' });
  });
});
