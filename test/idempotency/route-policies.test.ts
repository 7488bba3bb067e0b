import { describe, expect, test } from 'vitest';
import * as entry from '../../lib/entry/main.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { invoke } from '../support/events.ts';
import { DOCS, service } from '../support/service.ts';

const KEY = { key: 'k', body: '{}' };
const answering = (...statuses: readonly number[]) => {
  const left = [...statuses];
  return async () => ({ statusCode: left.shift() ?? 599, body: '' });
};

describe('a route', () => {
  test('that keeps everything answers a retry with the first failure', async () => {
    const s = service({ keep: 'everything' }, answering(503, 201));
    expect((await invoke(s.handler, KEY)).status).toBe(503);
    const again = await invoke(s.handler, KEY);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([503, 'true']);
    expect(s.runs()).toBe(1);
  });

  test('that keeps everything answers a retry of what was thrown with the same problem', async () => {
    const s = service({ keep: 'everything' }, async () => {
      throw new Error('broken');
    });
    const [first, again] = [await invoke(s.handler, KEY), await invoke(s.handler, KEY)];
    expect([first.json['code'], again.body]).toEqual(['handler-failed', first.body]);
    expect(s.runs()).toBe(1);
  });

  test('that keeps successes only lets a refused request be mended and sent again', async () => {
    const s = service({ keep: 'success' }, answering(404, 201, 599));
    expect((await invoke(s.handler, KEY)).status).toBe(404);
    expect((await invoke(s.handler, { ...KEY, body: '{"mended":1}' })).status).toBe(201);
    expect((await invoke(s.handler, { ...KEY, body: '{"mended":1}' })).status).toBe(201);
    expect(s.runs()).toBe(2);
  });

  test.each([400, 409, 422] as const)(
    'answers another request under its key with %i, as it was told',
    async (status) => {
      const s = service({ mismatchStatus: status });
      await invoke(s.handler, KEY);
      const other = await invoke(s.handler, { ...KEY, body: '{"other":1}' });
      expect([other.status, other.json['code']]).toEqual([status, 'idempotency-key-reused']);
    },
  );

  test('lets a duplicate wait for the answer of the first request', async () => {
    const running = Promise.withResolvers<unknown>();
    const s = service({ waitMs: 5_000 }, () => running.promise);
    const first = invoke(s.handler, KEY);
    const { sleep } = s.ambient;
    s.ambient.sleep = async (ms) => {
      await sleep(ms);
      running.resolve({ statusCode: 201, body: 'once' });
      await first;
    };
    expect(await invoke(s.handler, KEY)).toMatchObject({ status: 201, body: 'once' });
    expect(s.runs()).toBe(1);
  });

  test('with a cache replays without asking its store', async () => {
    const s = service({ cacheBytes: 10_000 });
    const first = await invoke(s.handler, KEY);
    s.store.isDown = true;
    expect((await invoke(s.handler, KEY)).body).toBe(first.body);
    expect((await invoke(s.handler, { ...KEY, body: '{"other":1}' })).json['code']).toBe('store-unavailable');
  });

  test('without one asks', async () => {
    const s = service();
    await invoke(s.handler, KEY);
    s.store.isDown = true;
    expect((await invoke(s.handler, KEY)).json['code']).toBe('store-unavailable');
  });
});

describe('a service that is set up', () => {
  const ambient = service().ambient;
  const options = { store: memoryStore({ now: ambient.now }), docsBase: DOCS };

  test.each([
    ['forgets its keys within a minute', { retentionMs: 59_999 }],
    ['remembers its keys beyond 45 days', { retentionMs: 46 * 24 * 60 * 60 * 1_000 }],
    ['contradicts itself', { keep: 'success', on5xx: 'store' }],
  ] as const)('is refused at once when it %s', (_, policies) => {
    expect(() => entry.idempotency({ ...options, ...policies })).toThrow(MisuseError);
  });

  test('is taken with a minute', () => {
    expect(entry.idempotency({ ...options, retentionMs: 60_000 }).before).toBeDefined();
  });
});
