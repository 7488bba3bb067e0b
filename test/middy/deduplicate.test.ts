import { describe, expect, test } from 'vitest';
import { deduplicate } from '../../lib/middy/deduplicate.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { lambdaContext } from '../support/events.ts';
import { fakeAmbient } from '../support/fake-ambient.ts';
import { consumer, DAY_MS, FUNCTION_MS, ids, inGroup, message, WORK_MS } from '../support/job-consumer.ts';

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

describe('a store that is down', () => {
  test('fails every job and works on none', async () => {
    const c = consumer();
    c.store.isDown = true;
    const records = [message('a'), message('b')];
    expect(await c.receive(records)).toEqual(ids(...records));
    expect(c.worked).toEqual([]);
  });
});
