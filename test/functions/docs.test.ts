import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../functions/docs/app.ts';
import { PROBLEMS } from '../../lib/idempotency/problems.ts';
import { PAYMENT_PROBLEMS } from '../../lib/payments/problems.ts';
import { apiEvent, replyOf } from '../support/events.ts';

const handler = createHandler({ retentionMs: 86_400_000 });
const get = async (code?: string) => {
  const parameters = code === undefined ? {} : { parameters: { code } };
  const event = apiEvent({ method: 'GET', path: '/problems', claims: null, ...parameters });
  return replyOf((await handler(event, {} as Context)) as never);
};
const types = [...Object.values(PROBLEMS), ...Object.values(PAYMENT_PROBLEMS)];

describe('the documentation', () => {
  test.each(types)(
    'of $code is a page that says when it is answered and what to do',
    async ({ code, title, status }) => {
      const page = await get(code);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.body).toContain(title);
      expect(page.body).toContain(`status ${status}`);
    },
  );

  test('lists every problem and the retention', async () => {
    const page = await get();
    for (const { code } of types) expect(page.body).toContain(`/problems/${code}`);
    expect(page.body).toContain('86400 seconds');
  });

  test('of no such problem is a 404 that shows the name without running it', async () => {
    const page = await get('<script>alert("&\'")</script>');
    expect(page.status).toBe(404);
    expect(page.body).toContain('&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;');
    expect(page.body).not.toContain('<script>');
  });

  test('has one page for each code', () => {
    expect(new Set(types.map(({ code }) => code)).size).toBe(types.length);
  });
});
