import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../lib/client/record.ts';
import { PAYMENT, world } from './world.ts';

const request = { method: 'POST', url: '/payments', contentType: 'application/json', body: 'e30=' };
const sent = { v: 1, key: 'k', request, state: 'sent', sentAt: 1 };
const answer = { status: 201, headers: [['x-a', '1']], body: '' };
const settled = { v: 1, key: 'k', request, state: 'settled', answer };

const UNREADABLE: readonly (readonly [what: string, value: unknown])[] = [
  ['is null', null],
  ['is a number', 7],
  ['is of a newer version', { ...sent, v: 2 }],
  ['has no key', { ...sent, key: undefined }],
  ['has no request', { ...sent, request: null }],
  ['has a request without a URL', { ...sent, request: { ...request, url: 1 } }],
  ['has a body that is cut', { ...sent, request: { ...request, body: 'e30' } }],
  ['has a body of other characters', { ...sent, request: { ...request, body: '{}{}' } }],
  ['has no body', { ...sent, request: { ...request, body: undefined } }],
  ['has an unknown state', { ...sent, state: 'done' }],
  ['was sent at no moment', { ...sent, sentAt: null }],
  ['is settled without an answer', { ...settled, answer: undefined }],
  ['has an answer that no response can carry', { ...settled, answer: { ...answer, status: 0 } }],
  ['has an answer with half a status', { ...settled, answer: { ...answer, status: 200.5 } }],
  ['has an answer with an impossible status', { ...settled, answer: { ...answer, status: 600 } }],
  ['has an answer with a textual status', { ...settled, answer: { ...answer, status: '201' } }],
  ['has an answer without headers', { ...settled, answer: { ...answer, headers: {} } }],
  ['has an answer with half a header', { ...settled, answer: { ...answer, headers: [['a']] } }],
  ['has an answer with a header of no text', { ...settled, answer: { ...answer, headers: [['a', 1]] } }],
  ['has an answer with a header that is no pair', { ...settled, answer: { ...answer, headers: ['ab'] } }],
  ['has an answer without a body', { ...settled, answer: { ...answer, body: null } }],
];

async function kept(text: string) {
  const made = world();
  await made.storage.create('checkout', text);
  return made.client;
}

describe('a record', () => {
  it.each(UNREADABLE)(
    'that %s is an error, and never taken for an intention that is not there',
    async (_what, value) => {
      const client = await kept(JSON.stringify(value));
      await expect(client.open('checkout', PAYMENT)).rejects.toMatchObject({ code: 'record-unreadable' });
      await expect(client.find('checkout')).rejects.toMatchObject({ code: 'record-unreadable' });
    },
  );

  it('that is no JSON is an error too', async () => {
    await expect((await kept('{"v":1')).find('checkout')).rejects.toMatchObject({ code: 'record-unreadable' });
  });

  it('is read back as it was written, in every state', async () => {
    const unsent = encodeRecord({ key: 'k', request, state: 'unsent' });
    for (const text of [unsent, JSON.stringify(sent), JSON.stringify(settled)]) {
      const found = await (await kept(text)).find('checkout');
      expect([found?.key, found?.state]).toEqual(['k', JSON.parse(text).state]);
    }
  });
});
