import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientOf, type Reply } from './client.ts';
import { FRONT_DOORS, type FrontDoorName } from './front-doors.ts';
import { type FixtureOptions, startFixture } from './server.ts';
import { dynamoDbStores, memoryStores } from './stores.ts';

const FORMATS = Object.keys(FRONT_DOORS) as FrontDoorName[];
const MEMORY = async () => memoryStores;

let fixture: Awaited<ReturnType<typeof startFixture>>;
let send: ReturnType<typeof clientOf>;

const runs = async (): Promise<number> => JSON.parse((await send('/counter', { method: 'GET' })).text).count;
const problemOf = ({ text, headers }: Reply) => {
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  return JSON.parse(text);
};

describe.each<[FrontDoorName, string, () => Promise<NonNullable<FixtureOptions['stores']>>]>([
  ...FORMATS.map((format): [FrontDoorName, string, typeof MEMORY] => [format, 'in memory', MEMORY]),
  ['v1', 'in DynamoDB', dynamoDbStores],
  ['v2', 'in DynamoDB', dynamoDbStores],
])('behind %s, with keys %s:', (format, _store, makeStores) => {
  beforeAll(async () => {
    fixture = await startFixture({ port: 0, format, stores: await makeStores() });
    send = clientOf(fixture.url);
  });
  afterAll(() => fixture.stop());
  beforeEach(() => send('/reset'));

  describe('a key, as the draft wants it', () => {
    it('lets the first request run, unmarked, and gives its retry the same answer, marked', async () => {
      const key = randomUUID();
      const first = await send('/echo', { key, body: 'salom' });
      const retry = await send('/echo', { key, body: 'salom' });
      expect([first.status, first.text, first.headers['idempotency-replayed']]).toEqual([201, 'salom', undefined]);
      expect([retry.status, retry.text, retry.headers['idempotency-replayed']]).toEqual([201, 'salom', 'true']);
      expect(retry.headers['content-type']).toBe(first.headers['content-type']);
      expect(await runs()).toBe(1);
    });

    it('is asked for with a problem document that links to its documentation', async () => {
      const refused = await send('/echo');
      expect(problemOf(refused)).toMatchObject({
        status: 400,
        code: 'idempotency-key-missing',
        type: expect.stringMatching(/^https?:/),
      });
      expect(refused.headers.link).toContain('rel="describedby"');
      expect(await runs()).toBe(0);
    });

    it.each([
      ['another body', '/slow?ms=1', { body: 'y' }],
      ['another path', '/status/200', { body: 'x' }],
      ['another query', '/slow?ms=2', { body: 'x' }],
      ['another media type', '/slow?ms=1', { body: 'x', headers: { 'Content-Type': 'text/csv' } }],
    ])('is refused with %s, and its first answer stays', async (_what, path, other) => {
      const key = randomUUID();
      await send('/slow?ms=1', { key, body: 'x' });
      expect(problemOf(await send(path, { key, ...other }))).toMatchObject({
        status: 422,
        code: 'idempotency-key-reused',
      });
      expect((await send('/slow?ms=1', { key, body: 'x' })).headers['idempotency-replayed']).toBe('true');
      expect(await runs()).toBe(1);
    });

    it('is in progress while the first request runs, however often it is asked, and replays afterwards', async () => {
      const key = randomUUID();
      const first = send('/slow?ms=700', { key });
      await sleep(150);
      for (const attempt of [1, 2]) {
        const duplicate = await send('/slow?ms=700', { key });
        expect(problemOf(duplicate), `attempt ${attempt}`).toMatchObject({
          status: 409,
          code: 'idempotency-key-in-progress',
        });
        expect(duplicate.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      }
      expect((await send('/slow?ms=700', { key, body: 'other' })).status).toBe(422);
      expect((await first).text).toBe('slept:700');
      expect((await send('/slow?ms=700', { key })).headers['idempotency-replayed']).toBe('true');
      expect(await runs()).toBe(1);
    });

    it('runs once for twenty requests at once', async () => {
      const key = randomUUID();
      const replies = await Promise.all(Array.from({ length: 20 }, () => send('/slow?ms=300', { key })));
      expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
      expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true);
      expect(await runs()).toBe(1);
    });

    it('is one intention: two keys run twice, and a GET ignores its key', async () => {
      await send('/echo', { key: randomUUID() });
      await send('/echo', { key: randomUUID() });
      const key = randomUUID();
      const [one, two] = [
        await send('/counter', { method: 'GET', key }),
        await send('/counter', { method: 'GET', key }),
      ];
      expect([one.text, two.text, two.headers['idempotency-replayed']]).toEqual([
        '{"count":2}',
        '{"count":2}',
        undefined,
      ]);
    });
  });

  describe('the key itself', () => {
    it.each([
      ['the quoted form', '"k-1"', 'k-1'],
      ['a quoted form with a parameter', '"k-1";v=1', 'k-1'],
    ])('is the same key as %s', async (_what, quoted, bare) => {
      await send('/echo', { key: quoted });
      expect((await send('/echo', { key: bare })).headers['idempotency-replayed']).toBe('true');
    });

    it('has case, and its header has none', async () => {
      await send('/echo', { headers: { 'IDEMPOTENCY-KEY': 'k-a' } });
      expect((await send('/echo', { headers: { 'idempotency-key': 'k-a' } })).headers['idempotency-replayed']).toBe(
        'true',
      );
      expect((await send('/echo', { key: 'k-A' })).headers['idempotency-replayed']).toBeUndefined();
    });

    it('may be 255 characters long, and may begin with a digit', async () => {
      expect((await send('/echo', { key: 'a'.repeat(255) })).status).toBe(201);
      expect((await send('/echo', { key: '3f1c2b8e-7d0a-4a53-9b7e-0d9f6c2a1b44' })).status).toBe(201);
    });

    it.each<[string, string | string[]]>([
      ['empty', ''],
      ['an empty String', '""'],
      ['blank', '"   "'],
      ['256 characters long', 'a'.repeat(256)],
      ['sent twice', ['k-1', 'k-2']],
      ['unterminated', '"k-1'],
      ['followed by something else', '"k-1" x'],
      ['beyond visible ASCII', 'kalit-ü'],
      ['two in one', 'k-1,k-2'],
    ])('is refused when it is %s, before anything is claimed', async (_what, key) => {
      expect(problemOf(await send('/echo', { key }))).toMatchObject({ status: 400, code: 'idempotency-key-invalid' });
      expect(await runs()).toBe(0);
    });
  });

  describe('the scope of a key', () => {
    it('is its principal: two of them never see each other', async () => {
      const key = randomUUID();
      const [alice, bob] = [{ 'X-Principal': 'alice' }, { 'X-Principal': 'bob' }];
      const first = await send('/headers', { key, headers: alice });
      const other = await send('/headers', { key, headers: bob });
      expect([first.text, other.text, other.headers['idempotency-replayed']]).toEqual([
        '{"n":1}',
        '{"n":2}',
        undefined,
      ]);
      expect((await send('/headers', { key, headers: alice })).text).toBe(first.text);
    });

    it('cannot be shifted into the key', async () => {
      await send('/echo', { key: 'c', headers: { 'X-Principal': 'a#b' } });
      await send('/echo', { key: 'b#c', headers: { 'X-Principal': 'a' } });
      expect(await runs()).toBe(2);
    });
  });

  describe('a replay', () => {
    it('brings back status, body, Location, ETag and own headers, and never a cookie', async () => {
      const key = randomUUID();
      const first = await send('/headers', { key });
      const replay = await send('/headers', { key });
      expect(replay.text).toBe(first.text);
      for (const name of ['location', 'etag', 'cache-control', 'x-trace'] as const) {
        expect(replay.headers[name]).toBe(first.headers[name]);
      }
      expect([first.headers['set-cookie'], replay.headers['set-cookie']]).toEqual([['session=1'], undefined]);
    });

    it.each([
      ['an empty answer', '/empty', 204],
      ['a final refusal', '/status/402', 402],
      ['a large binary answer', '/large?bytes=200000', 200],
    ])('works for %s', async (_what, path, status) => {
      const key = randomUUID();
      const [first, replay] = [await send(path, { key }), await send(path, { key })];
      expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([status, 'true']);
      expect(replay.body.equals(first.body)).toBe(true);
      expect(await runs()).toBe(1);
    });

    it('is not made of a failure or of "too many requests": those release the key', async () => {
      for (const path of ['/status/500', '/status/429']) {
        const key = randomUUID();
        await send(path, { key });
        expect((await send(path, { key })).headers['idempotency-replayed']).toBeUndefined();
      }
      expect(await runs()).toBe(4);
    });
  });
});

describe('a key after its retention', () => {
  it('runs again, also with another body', async () => {
    const short = await startFixture({ port: 0, retentionMs: 1000 });
    const sendShort = clientOf(short.url);
    const key = randomUUID();
    await sendShort('/echo', { key, body: 'one' });
    await sleep(2100);
    const again = await sendShort('/echo', { key, body: 'two' });
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([201, 'two', undefined]);
    await short.stop();
  });
});
