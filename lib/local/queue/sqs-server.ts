import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type HttpReply, send } from '../gateway/http-reply.ts';
import { readBody } from '../read-body.ts';
import { isObject, type JsonObject } from '../template/json.ts';
import { OPERATIONS, queueOf } from './operations.ts';
import { QueueError, type QueueErrorCode } from './queue-error.ts';
import type { Queues } from './queues.ts';

/** Ten messages of the largest size, escaped. */
const REQUEST_BYTES_MAX = 16 * 1024 * 1024;

const TARGET = /^AmazonSQS\.(\w+)$/;

/** What an exception is called in the older query protocol, which clients may go by. */
const QUERY_CODES: Partial<Record<QueueErrorCode, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
};

/**
 * SQS over the AWS JSON 1.0 protocol, as far as the official client needs it for the template's queues.
 *
 * The queues are in memory also where `DATA_DIR` keeps the rest: what waits in them ends with the local run.
 *
 * @param queues is asked at each request: the server's own address is part of what the queues are made of.
 */
export function createSqsServer(queues: () => Queues): Server {
  return createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void answer(request, queues(), gone.signal)
      .then((reply) => reply && !response.destroyed && send(response, reply))
      .catch((error: unknown) => fail(response, error));
  });
}

async function answer(request: IncomingMessage, queues: Queues, signal: AbortSignal): Promise<HttpReply | undefined> {
  const body = await readBody(request, REQUEST_BYTES_MAX);
  try {
    const [, name = ''] = TARGET.exec(String(request.headers['x-amz-target'])) ?? [];
    const operation = OPERATIONS[name];
    const input = parse(body);
    if (name === 'GetQueueUrl') return reply(200, { QueueUrl: queues.byName(String(input['QueueName'])).model.url });
    if (name === 'ListQueues') return reply(200, { QueueUrls: queues.all.map(({ model }) => model.url) });
    if (!operation) throw new QueueError('UnsupportedOperation', `The local SQS has no ${name || 'such operation'}.`);
    return reply(200, await operation(input, queueOf(input, queues), signal));
  } catch (error) {
    if (error instanceof QueueError) return refusal(error);
    throw error;
  }
}

function parse(body: Buffer | undefined): JsonObject {
  try {
    const input: unknown = JSON.parse(body?.toString() || '{}');
    if (body && isObject(input)) return input;
  } catch {
    // Refused below.
  }
  throw new QueueError('InvalidParameterValue', 'The request is no JSON object, or is too large.');
}

function refusal({ code, message }: QueueError): HttpReply {
  const refused = reply(400, { __type: `com.amazonaws.sqs#${code}`, message });
  return { ...refused, headers: [...refused.headers, ['x-amzn-query-error', `${QUERY_CODES[code] ?? code};Sender`]] };
}

function reply(status: number, body: JsonObject): HttpReply {
  return {
    status,
    headers: [
      ['content-type', 'application/x-amz-json-1.0'],
      ['x-amzn-requestid', randomUUID()],
    ],
    body: JSON.stringify(body),
  };
}

function fail(response: ServerResponse, error: unknown): void {
  // A client that went away while it sent its request; or a fault of ours, which must not end the process.
  if (!response.destroyed) console.error(error);
  response.destroy();
}
