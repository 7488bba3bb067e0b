import type { Json, JsonObject } from '../template/json.ts';
import { pick, queueAttributes, systemAttributes } from './attributes.ts';
import { md5 } from './md5.ts';
import type { Message } from './message.ts';
import { type Queue, RECEIVE_MAX } from './queue.ts';
import { QueueError } from './queue-error.ts';
import type { Queues } from './queues.ts';
import { newMessage, objects, requiredText, texts, wholeNumber } from './request.ts';

const WAIT_SECONDS_MAX = 20;
const VISIBILITY_SECONDS_MAX = 43_200;
const BATCH_MAX = 10;

type Output = JsonObject | Promise<JsonObject>;

/** One operation of SQS; the signal tells that the caller has gone. */
export type Operation = (input: JsonObject, queue: Queue, signal: AbortSignal) => Output;

/** What the service and its tests ask of SQS. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  SendMessage: (input, queue) => sent(queue.send(newMessage(input))),
  SendMessageBatch: (input, queue) => batch(input, (entry) => sent(queue.send(newMessage(entry)))),
  ReceiveMessage: receiveMessage,
  DeleteMessage: (input, queue) => deleteMessage(input, queue),
  DeleteMessageBatch: (input, queue) => batch(input, (entry) => deleteMessage(entry, queue)),
  ChangeMessageVisibility: changeMessageVisibility,
  GetQueueAttributes: (input, queue) => ({ Attributes: pick(queueAttributes(queue), texts(input['AttributeNames'])) }),
  PurgeQueue: (_, queue) => {
    queue.purge();
    return {};
  },
};

/** Finds the queue that a request is about. */
export function queueOf(input: JsonObject, queues: Queues): Queue {
  return queues.byName(requiredText(input, 'QueueUrl').split('/').at(-1) ?? '');
}

function sent({ id, body, sequenceNumber }: Message): JsonObject {
  return {
    MessageId: id,
    MD5OfMessageBody: md5(body),
    ...(sequenceNumber === undefined ? {} : { SequenceNumber: sequenceNumber }),
  };
}

async function receiveMessage(input: JsonObject, queue: Queue, signal: AbortSignal): Promise<JsonObject> {
  const visibility = wholeNumber(input, 'VisibilityTimeout', 0, VISIBILITY_SECONDS_MAX);
  const wait = wholeNumber(input, 'WaitTimeSeconds', 0, WAIT_SECONDS_MAX);
  const messages = await queue.receive({
    max: wholeNumber(input, 'MaxNumberOfMessages', 1, RECEIVE_MAX) ?? 1,
    visibilityMs: visibility === undefined ? undefined : visibility * 1000,
    waitMs: wait === undefined ? queue.model.waitMs : wait * 1000,
    signal,
  });
  const system = [...texts(input['MessageSystemAttributeNames']), ...texts(input['AttributeNames'])];
  const own = texts(input['MessageAttributeNames']);
  return messages.length === 0 ? {} : { Messages: messages.map((message) => received(message, system, own)) };
}

function received(message: Message, system: readonly string[], own: readonly string[]): JsonObject {
  const attributes = pick<string>(systemAttributes(message), system);
  const messageAttributes = pick(message.attributes, own);
  return {
    MessageId: message.id,
    ReceiptHandle: String(message.receiptHandle),
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(Object.keys(attributes).length === 0 ? {} : { Attributes: attributes }),
    ...(Object.keys(messageAttributes).length === 0 ? {} : { MessageAttributes: messageAttributes }),
  };
}

function deleteMessage(input: JsonObject, queue: Queue): JsonObject {
  queue.delete(requiredText(input, 'ReceiptHandle'));
  return {};
}

function changeMessageVisibility(input: JsonObject, queue: Queue): JsonObject {
  const seconds = wholeNumber(input, 'VisibilityTimeout', 0, VISIBILITY_SECONDS_MAX);
  queue.changeVisibility(requiredText(input, 'ReceiptHandle'), (seconds ?? 0) * 1000);
  return {};
}

/** Each entry succeeds or fails by itself. */
function batch(input: JsonObject, carryOut: (entry: JsonObject) => JsonObject): JsonObject {
  const entries = objects(input['Entries']);
  if (entries.length === 0) throw new QueueError('EmptyBatchRequest', 'The batch holds no entry.');
  if (entries.length > BATCH_MAX) throw new QueueError('TooManyEntriesInBatchRequest', 'More than 10 entries.');
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new QueueError('BatchEntryIdsNotDistinct', 'Two entries have the same Id.');
  }
  const Successful: Json[] = [];
  const Failed: Json[] = [];
  for (const entry of entries) {
    const Id = entry['Id'] ?? null;
    try {
      Successful.push({ Id, ...carryOut(entry) });
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
      Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}
