import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { consumer, ids, inGroup, message } from '../support/job-consumer.ts';

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
