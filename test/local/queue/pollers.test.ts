import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../lib/local/lambda/outcome.ts';
import { arnOf } from './models.ts';
import { failed, message, returned, start, until, VISIBILITY_MS } from './polling.ts';

describe('an event source mapping', () => {
  it('hands messages over in the form that Lambda gives them, and deletes them when it went well', async () => {
    const { queue, events } = start('jobs', () => returned(null));
    const attributes = {
      trace: { DataType: 'String', StringValue: 't' },
      raw: { DataType: 'Binary', BinaryValue: 'AQI=' },
    };
    const { id, sentAt } = queue.send({ ...message('{"a":1}'), attributes });
    await until(() => events.length === 1 && queue.messages.length === 0);
    expect(events).toEqual([
      {
        Records: [
          {
            messageId: id,
            receiptHandle: expect.stringMatching(/./),
            body: '{"a":1}',
            attributes: {
              ApproximateReceiveCount: '1',
              SentTimestamp: String(sentAt),
              SenderId: 'AIDALOCAL',
              ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
            },
            messageAttributes: {
              trace: { stringValue: 't', stringListValues: [], binaryListValues: [], dataType: 'String' },
              raw: { binaryValue: 'AQI=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
            },
            md5OfBody: 'bb6cb5c68df4652941caf652a366f2d8',
            eventSource: 'aws:sqs',
            eventSourceARN: arnOf('jobs'),
            awsRegion: 'eu-north-1',
          },
        ],
      },
    ]);
  });

  it.each<[string, Outcome]>([
    ['threw', { kind: 'threw', payload: '{}' }],
    ['was killed', { kind: 'exited', reason: 'killed' }],
    ['timed out', { kind: 'timed-out', afterMs: 1000 }],
    ['found no environment', { kind: 'throttled' }],
  ])('leaves the batch of a function that %s to its visibility time-out', async (_, outcome) => {
    const at: number[] = [];
    const { queue, events } = start('jobs', () => {
      at.push(Date.now());
      return events.length === 1 ? outcome : returned(null);
    });
    queue.send(message('a'));
    await until(() => queue.messages.length === 0);
    expect(events.map(({ Records }) => Records[0]?.attributes.ApproximateReceiveCount)).toEqual(['1', '2']);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(VISIBILITY_MS - 20);
  });

  it('gives back only what the function names, when it reports failures', async () => {
    const scene = start(
      'jobs',
      ({ Records }) => failed(...Records.filter(({ body }) => body === 'b').map(({ messageId }) => messageId)),
      { windowMs: 200 },
    );
    for (const body of ['a', 'b', 'c']) scene.queue.send(message(body));
    await until(() => scene.events.length === 2);
    expect(scene.batches()).toEqual([['a', 'b', 'c'], ['b']]);
  });

  it('takes any result for success where failures are not reported', async () => {
    const { queue } = start('jobs', ({ Records }) => failed(...Records.map(({ messageId }) => messageId)), {
      reportsFailures: false,
    });
    queue.send(message('a'));
    await until(() => queue.messages.length === 0);
  });

  it('gives poison to the dead letters after as many tries as the queue allows', async () => {
    const { queue, events } = start('jobs', () => ({ kind: 'threw', payload: '{}' }));
    queue.send(message('poison'));
    await until(() => queue.deadLetters?.queue.messages.length === 1);
    expect(events).toHaveLength(3);
    expect(queue.messages).toEqual([]);
  });

  it('fills a batch while its window is open, no further than its size, and no longer than it stays hidden', async () => {
    const scene = start('jobs', () => returned(null), { windowMs: 10_000, batchSize: 2, concurrencyMax: 1 });
    scene.queue.send(message('a'));
    await sleep(100);
    for (const body of ['b', 'c']) scene.queue.send(message(body));
    await until(() => scene.events.length === 2);
    expect(scene.batches()).toEqual([['a', 'b'], ['c']]);
  });

  it('works on the groups of a FIFO queue side by side, and on each in order', async () => {
    let running = 0;
    let most = 0;
    const scene = start(
      'jobs.fifo',
      async () => {
        running += 1;
        most = Math.max(most, running);
        await sleep(50);
        running -= 1;
        return returned(null);
      },
      { batchSize: 1 },
    );
    for (const [at, body] of ['a1', 'b1', 'a2', 'b2', 'a3'].entries()) {
      scene.queue.send(message(body, { groupId: body[0], deduplicationId: String(at) }));
    }
    await until(() => scene.queue.messages.length === 0);
    const done = scene.batches().flat();
    expect(done.filter((body) => body.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(done.filter((body) => body.startsWith('b'))).toEqual(['b1', 'b2']);
    expect(most).toBe(2);
  });

  it('invokes no more often at a time than it may', async () => {
    let running = 0;
    let most = 0;
    const { queue } = start(
      'jobs',
      async () => {
        running += 1;
        most = Math.max(most, running);
        await sleep(50);
        running -= 1;
        return returned(null);
      },
      { batchSize: 1, concurrencyMax: 2 },
    );
    for (const body of ['a', 'b', 'c', 'd', 'e']) queue.send(message(body));
    await until(() => queue.messages.length === 0);
    expect(most).toBe(2);
  });

  it('begins nothing after it was stopped', async () => {
    const { queue, events, pollers } = start('jobs', () => returned(null));
    pollers.stop();
    queue.send(message('a'));
    await sleep(100);
    expect(events).toEqual([]);
    expect(queue.counts.visible).toBe(1);
  });
});
