import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import Stripe from 'stripe';
import { expect } from 'vitest';
import { bodyOf, MESSAGES, startFixture } from './support.ts';

/** The local run with queues and webhooks, and the clients that its functions would use. */
export async function startMessages() {
  const local = await startFixture({ QUEUE_VISIBILITY_SECONDS: '1' }, MESSAGES);
  const environment: Record<string, string> = await bodyOf(await fetch(`${local.url}/environment`));
  const { hostname: host, port } = new URL(String(environment['STRIPE_API_BASE']));
  const stripe = new Stripe('sk_test_local', { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
  const sqs = new SQSClient({
    endpoint: String(environment['AWS_ENDPOINT_URL_SQS']),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

  const control = async (path: string, method = 'POST', body?: string) => {
    const response = await fetch(`${local.url}/local/${path}`, { method, ...(body ? { body } : {}) });
    return { status: response.status, body: await bodyOf(response) };
  };
  /** What the consumer printed. */
  const jobs = () =>
    local.log.flatMap((line) => (line.startsWith('[consume] {') ? [JSON.parse(line.slice('[consume] '.length))] : []));
  return {
    ...local,
    environment,
    stripe,
    sqs,
    control,
    jobs,
    read: async (path: string) => (await control(path, 'GET')).body,
    pay: (order: string, payment_method = 'pm_card_visa') =>
      stripe.paymentIntents.create({
        amount: 900,
        currency: 'usd',
        payment_method,
        confirm: true,
        metadata: { order },
      }),
    /** The events of an order that the consumer was told of, in alphabetical order. */
    typesOf: (order: string): string[] =>
      jobs()
        .filter((job) => job.order === order)
        .map(({ type }) => type.replace('payment_intent.', ''))
        .sort(),
    stop: async () => {
      sqs.destroy();
      await local.stop();
    },
  };
}

export type Messages = Awaited<ReturnType<typeof startMessages>>;

export async function until(condition: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (Date.now() < end && !(await condition())) await sleep(50);
  expect(await condition()).toBe(true);
}
