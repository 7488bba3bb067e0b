import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { type DeduplicateOptions, deduplicate, type FailedMessage } from '../../lib/middy/deduplicate.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { lambdaContext } from '../support/events.ts';
import { budgetOf, type FakeAmbient, fakeAmbient } from '../support/fake-ambient.ts';
import { faultyStore } from '../support/faulty-store.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const WORK_MS = 5_000;
const FUNCTION_MS = 30_000;
const STANDARD = 'arn:aws:sqs:eu-central-1:123456789012:jobs';
const FIFO = `${STANDARD}.fifo`;

let messages = 0;

/** A message with a job in its body, and an id of its own. */
function message(key: string, { group, arn = STANDARD }: { group?: string; arn?: string } = {}): SQSRecord {
  messages += 1;
  const attributes = { ...(group !== undefined && { MessageGroupId: group }) };
  // Only the members that anybody reads.
  return { messageId: `m-${messages}`, body: key, eventSourceARN: arn, attributes } as SQSRecord;
}

const inGroup = (key: string, group: string): SQSRecord => message(key, { group, arn: FIFO });

/** A consumer that notes its jobs; a job named "bad…" fails, a body named "junk…" is no job. */
function consumer(options: Partial<DeduplicateOptions<string>> & { readonly ambient?: FakeAmbient } = {}) {
  const { ambient = fakeAmbient() } = options;
  const store = faultyStore(memoryStore({ now: ambient.now }));
  const worked: string[] = [];
  const failures: FailedMessage[] = [];
  const events: ProtocolEvent[] = [];
  const work = deduplicate<string>({
    store,
    ambient,
    workMs: WORK_MS,
    read: (body) =>
      body.startsWith('junk') ? { kind: 'malformed', reason: 'junk' } : { kind: 'job', key: body, job: `job ${body}` },
    work: async (job) => {
      worked.push(job.slice('job '.length));
      if (job.startsWith('job bad')) throw new Error(`${job} failed`);
    },
    onFailed: (failed) => failures.push(failed),
    observe: (event) => events.push(event),
    ...options,
  });
  const handler = middy<SQSEvent, SQSBatchResponse>().handler(work);
  return {
    ambient,
    store,
    worked,
    failures,
    kinds: () => events.map(({ kind }) => kind),
    /** The ids of the messages that are reported as failed. */
    receive: async (Records: SQSRecord[], remainingMs = FUNCTION_MS): Promise<readonly string[]> => {
      const result = await handler({ Records }, lambdaContext(budgetOf(ambient, remainingMs).remainingMs));
      return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
  };
}

const ids = (...of: SQSRecord[]): readonly string[] => of.map(({ messageId }) => messageId);

describe('a batch', () => {
  test('of jobs that all succeed fails in nothing', async () => {
    const c = consumer();
    expect(await c.receive([message('a'), message('b')])).toEqual([]);
    expect(c.worked).toEqual(['a', 'b']);
  });

  // I1
  test('of three, of which the second fails, gives back the second alone', async () => {
    const c = consumer();
    const [a, bad, d] = [message('a'), message('bad'), message('d')];
    expect(await c.receive([a, bad, d])).toEqual(ids(bad));
    expect(c.worked).toEqual(['a', 'bad', 'd']);
    expect(c.failures).toEqual([{ messageId: bad.messageId, reason: 'Error: job bad failed' }]);
  });

  // I1
  test('names what failed by its message id, never by anything of its body', async () => {
    const c = consumer();
    const records = [message('bad 1'), message('junk'), message('bad 2')];
    expect(await c.receive(records)).toEqual(ids(...records));
  });

  test('that is empty is worked off', async () => {
    expect(await consumer().receive([])).toEqual([]);
  });

  test('needs nobody to listen', async () => {
    const ambient = fakeAmbient();
    const store = memoryStore({ now: ambient.now });
    const read = (body: string) => ({ kind: 'job', key: body, job: body }) as const;
    const work = () => Promise.reject(new Error('it failed'));
    const handler = deduplicate({ store, ambient, workMs: WORK_MS, read, work });
    const bad = message('bad');
    expect(
      await handler(
        { Records: [bad] },
        lambdaContext(() => FUNCTION_MS),
      ),
    ).toEqual({
      batchItemFailures: [{ itemIdentifier: bad.messageId }],
    });
  });
});

describe('a job that comes twice', () => {
  // I4
  test('after it was done is a success without work', async () => {
    const c = consumer();
    await c.receive([message('a')]);
    expect(await c.receive([message('a')])).toEqual([]);
    expect(c.worked).toEqual(['a']);
  });

  // I2
  test('in another message is the same job, six minutes and thirty days later', async () => {
    const c = consumer();
    await c.receive([inGroup('a', 'g')]);
    c.ambient.advance(6 * 60 * 1_000);
    expect(await c.receive([inGroup('a', 'g')])).toEqual([]);
    c.ambient.advance(30 * DAY_MS);
    expect(await c.receive([message('a')])).toEqual([]);
    expect(c.worked).toEqual(['a']);
  });

  test('in one batch is done once', async () => {
    const c = consumer();
    expect(await c.receive([message('a'), message('a')])).toEqual([]);
    expect(c.worked).toEqual(['a']);
  });

  test('after it failed is done again', async () => {
    const c = consumer();
    await c.receive([message('bad')]);
    await c.receive([message('bad')]);
    expect(c.worked).toEqual(['bad', 'bad']);
  });

  // I5
  test('while another delivery is at it comes again later', async () => {
    const finish = Promise.withResolvers<void>();
    const c = consumer({ work: () => finish.promise });
    const first = c.receive([message('a')]);
    const again = message('a');
    expect(await c.receive([again])).toEqual(ids(again));
    expect(c.failures).toEqual([{ messageId: again.messageId, reason: expect.stringContaining('another delivery') }]);
    finish.resolve();
    expect(await first).toEqual([]);
    expect(await c.receive([message('a')])).toEqual([]);
  });

  test('as the job of another kind is another job', async () => {
    const c = consumer();
    const other = consumer({ scope: 'other', store: c.store, ambient: c.ambient });
    await c.receive([message('a')]);
    await other.receive([message('a')]);
    expect([c.worked, other.worked]).toEqual([['a'], ['a']]);
  });

  test('after its retention is a new one', async () => {
    const c = consumer({ retentionMs: DAY_MS });
    await c.receive([message('a')]);
    c.ambient.advance(DAY_MS);
    await c.receive([message('a')]);
    expect(c.worked).toEqual(['a', 'a']);
  });

  // H1
  test('after its function died is done when the lease has ended', async () => {
    const dying = Promise.withResolvers<void>();
    const c = consumer({ work: () => dying.promise });
    void c.receive([message('a')]);
    const heir = consumer({ store: c.store, ambient: c.ambient });
    await expect.poll(c.kinds).toEqual(['claimed']);
    const early = message('a');
    expect(await heir.receive([early])).toEqual(ids(early));
    c.ambient.advance(FUNCTION_MS + 5_001);
    expect(await heir.receive([message('a')])).toEqual([]);
    expect(heir.worked).toEqual(['a']);
  });
});

describe('a message that is no job', () => {
  // I1
  test('fails alone, and claims nothing', async () => {
    const c = consumer();
    const [a, junk, b] = [message('a'), message('junk'), message('b')];
    expect(await c.receive([a, junk, b])).toEqual(ids(junk));
    expect(c.failures).toEqual([{ messageId: junk.messageId, reason: 'junk' }]);
    expect(c.store.calls).toHaveLength(4);
  });

  test('that nobody can even read fails alone', async () => {
    const c = consumer({
      read: () => {
        throw new Error('unreadable');
      },
    });
    const junk = message('a');
    expect(await c.receive([junk])).toEqual(ids(junk));
  });

  test('does not stop its group', async () => {
    const c = consumer();
    const junk = inGroup('junk', 'g');
    expect(await c.receive([junk, inGroup('a', 'g')])).toEqual(ids(junk));
    expect(c.worked).toEqual(['a']);
  });
});

describe('a FIFO queue', () => {
  test('gets back everything behind a failed message of the same group, and nothing of the others', async () => {
    const c = consumer();
    const records = [inGroup('a', 'g'), inGroup('bad', 'g'), inGroup('b', 'h'), inGroup('c', 'g'), inGroup('d', 'h')];
    const [, bad, , behind] = records as [SQSRecord, SQSRecord, SQSRecord, SQSRecord];
    expect(await c.receive(records)).toEqual(ids(bad, behind));
    expect(c.worked).toEqual(['a', 'bad', 'b', 'd']);
    expect(c.failures[1]?.reason).toContain('an earlier message of its group');
  });

  test('keeps the order of a group over its redelivery', async () => {
    let isBroken = true;
    const worked: string[] = [];
    const c = consumer({
      work: async (job) => {
        if (isBroken) throw new Error('it failed');
        worked.push(job);
      },
    });
    const [a, b] = [inGroup('a', 'g'), inGroup('b', 'g')];
    expect(await c.receive([a, b])).toEqual(ids(a, b));
    isBroken = false;
    expect(await c.receive([a, b])).toEqual([]);
    expect(worked).toEqual(['job a', 'job b']);
  });

  test('is told by its name: the groups of a standard queue are for fairness, and have no order', async () => {
    const c = consumer();
    const [bad, a] = [message('bad', { group: 'g' }), message('a', { group: 'g' })];
    expect(await c.receive([bad, a])).toEqual(ids(bad));
    expect(c.worked).toEqual(['bad', 'a']);
  });
});

describe('a batch whose time runs out', () => {
  test('stops before a job that it could not finish, and gives the rest back', async () => {
    const c = consumer();
    const slow = consumer({
      store: c.store,
      ambient: c.ambient,
      work: async () => c.ambient.advance(10_000),
    });
    const records = ['a', 'b', 'c', 'd'].map((key) => message(key));
    const [, , third, fourth] = records as [SQSRecord, SQSRecord, SQSRecord, SQSRecord];
    expect(await slow.receive(records, 25_000)).toEqual(ids(third, fourth));
    expect(slow.kinds().filter((kind) => kind === 'not-enough-time')).toHaveLength(2);
    expect(await c.receive(records)).toEqual([]);
    expect(c.worked).toEqual(['c', 'd']);
  });
});

describe('a store that is down', () => {
  test('fails every job and works on none', async () => {
    const c = consumer();
    c.store.isDown = true;
    const records = [message('a'), message('b')];
    expect(await c.receive(records)).toEqual(ids(...records));
    expect(c.worked).toEqual([]);
  });
});
