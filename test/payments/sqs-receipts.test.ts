import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ReceiptJob } from '../../lib/payments/receipts.ts';
import { orderKeyOf } from '../../lib/payments/records.ts';
import { sqsReceipts } from '../../lib/payments/sqs-receipts.ts';

const JOB: ReceiptJob = {
  jobKey: 'receipt:pay_1',
  paymentId: 'pay_1',
  tenant: 't',
  orderId: 'o',
  amount: 500,
  currency: 'UZS',
  createdAt: '2026-01-01T00:00:00.000Z',
};

/** A queue server that notes what it is sent and answers as it is told. */
async function queueServer(answer: (response: ServerResponse, message: string) => void) {
  const sent: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const message = JSON.parse(body) as Record<string, unknown>;
      sent.push(message);
      answer(response, String(message['MessageBody']));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`);
  return { sent, url: 'https://sqs.eu-central-1.amazonaws.com' };
}

const taken = (response: ServerResponse, message: string): void => {
  const MD5OfMessageBody = createHash('md5').update(message).digest('hex');
  response
    .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify({ MessageId: 'm-1', MD5OfMessageBody }));
};

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(() => vi.unstubAllEnvs());

describe('a job', () => {
  test('goes to a standard queue without a group', async () => {
    const { sent, url } = await queueServer(taken);
    await sqsReceipts({ queueUrl: `${url}/123456789012/receipts` }).send(JOB);
    expect(sent).toEqual([{ QueueUrl: `${url}/123456789012/receipts`, MessageBody: JSON.stringify(JOB) }]);
  });

  test('goes to a FIFO queue in the group of its order, deduplicated by its own key', async () => {
    const { sent, url } = await queueServer(taken);
    const receipts = sqsReceipts({ queueUrl: `${url}/123456789012/receipts.fifo` });
    await receipts.send(JOB);
    await receipts.send({ ...JOB, tenant: null });
    expect(sent.map(({ MessageGroupId }) => MessageGroupId)).toEqual([
      orderKeyOf(JOB),
      orderKeyOf({ tenant: null, orderId: 'o' }),
    ]);
    expect(sent[0]).toMatchObject({ MessageDeduplicationId: 'receipt:pay_1' });
    // What SQS allows in both.
    for (const { MessageGroupId, MessageDeduplicationId } of sent)
      for (const id of [MessageGroupId, MessageDeduplicationId]) expect(id).toMatch(/^[\w:-]{1,128}$/);
  });
});

describe('a queue', () => {
  test('that fails once is asked a second time', async () => {
    let calls = 0;
    const { sent, url } = await queueServer((response, message) => {
      calls += 1;
      if (calls === 1) response.writeHead(503).end('{}');
      else taken(response, message);
    });
    await sqsReceipts({ queueUrl: `${url}/1/q` }).send(JOB);
    expect(sent).toHaveLength(2);
  });

  test('that does not answer is given up within three seconds, after two attempts', async () => {
    const { sent, url } = await queueServer(() => {});
    const startedAt = performance.now();
    await expect(sqsReceipts({ queueUrl: `${url}/1/q` }).send(JOB)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(sent).toHaveLength(2);
  });

  test('that mangles the message is no queue that has taken it', async () => {
    const { url } = await queueServer((response) => taken(response, 'something else'));
    await expect(sqsReceipts({ queueUrl: `${url}/1/q` }).send(JOB)).rejects.toThrow();
  });
});
