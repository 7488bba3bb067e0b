import { type Answer, rateLimited, serverError, unauthorized } from './answer.ts';
import type { Book } from './book.ts';
import { eventsOf } from './event.ts';
import { type Intent, randomId } from './intent.ts';
import { createKeys, digest } from './keys.ts';
import { methodNamed } from './methods.ts';
import { type Call, confirmedMethod, type Result, route } from './routes.ts';
import type { Trouble } from './trouble.ts';

export interface ApiCall extends Call {
  readonly authorization: string | undefined;
  readonly key: string | undefined;
  /** Ordered from outside for this call; it goes before what the payment method brings along. */
  readonly fault: Trouble | undefined;
}

/** What the caller gets to see of it. */
export type Reply =
  | { readonly kind: 'dropped' }
  | { readonly kind: 'never' }
  | {
      readonly kind: 'answered';
      readonly answer: Answer;
      readonly afterMs: number;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface Api {
  handle(call: ApiCall): Reply;
  /** To be told when an answer that was held back has left. */
  answered(call: ApiCall): void;
}

const isSecret = (authorization: string | undefined): boolean => {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return value.startsWith('sk_');
  return scheme.toLowerCase() === 'basic' && Buffer.from(value, 'base64').toString('latin1').startsWith('sk_');
};

const headersOf = (call: ApiCall, answer: Answer, original?: string): Record<string, string> => ({
  'request-id': randomId('req'),
  ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
  ...(answer.shouldRetry === undefined ? {} : { 'stripe-should-retry': String(answer.shouldRetry) }),
  ...(original === undefined ? {} : { 'idempotent-replayed': 'true', 'original-request': original }),
});

/** Trouble that strikes before the call does anything. */
const turnedAway = (call: ApiCall, trouble: Trouble | undefined): Reply | undefined => {
  const tell = (answer: Answer): Reply => ({ kind: 'answered', answer, afterMs: 0, headers: headersOf(call, answer) });
  switch (trouble?.name) {
    case 'refuse':
    case 'drop_before':
      return { kind: 'dropped' };
    case '429':
      return tell(rateLimited);
    case '500_before':
      return tell(serverError(false));
    default:
      return undefined;
  }
};

/** How far an answer gets. */
const deliver = (call: ApiCall, answer: Answer, trouble: Trouble | undefined, original?: string): Reply => {
  if (trouble?.name === 'hang') return { kind: 'never' };
  if (trouble?.name === 'drop_after' || trouble?.name === 'lag') return { kind: 'dropped' };
  const afterMs = trouble?.name === 'slow' ? trouble.ms : 0;
  return { kind: 'answered', answer, afterMs, headers: headersOf(call, answer, original) };
};

/** The answer that is remembered and told, which trouble may have put in the place of the real one. */
const remembered = (result: Result, trouble: Trouble | undefined): Answer =>
  trouble?.name === '500_after' ? serverError(true) : result.answer;

/** Stripe's API as one process is one account: authentication, idempotency keys, execution, and trouble on the way. */
export const createApi = (book: Book, now: () => number): Api => {
  const keys = createKeys(book);
  const hiddenUntil = new Map<string, number>();
  const visible = (intent: Intent): boolean => (hiddenUntil.get(intent.id) ?? 0) <= now();

  const execute = (call: ApiCall, request: string, trouble: Trouble | undefined): Reply => {
    const result: Result =
      trouble?.name === '500_stored'
        ? { executed: true, answer: serverError(true), change: {} }
        : route(call, { book, visible, now: now() });
    if (!result.executed || call.method !== 'POST') return deliver(call, remembered(result, trouble), trouble);
    const answer = remembered(result, trouble);
    const reply = deliver(call, answer, trouble);
    const requestId = reply.kind === 'answered' ? String(reply.headers['request-id']) : randomId('req');
    const { change } = result;
    const keyUse =
      call.key === undefined ? {} : { keyUse: { key: call.key, request, answer, requestId, firstUsedAt: now() } };
    const cause = { id: requestId, idempotency_key: call.key ?? null };
    const events = change.intent
      ? { events: eventsOf(book.intent(change.intent.id), change.intent, now(), cause) }
      : {};
    // Before the events go out: a look-up on the heels of a webhook must not see what lags.
    if (trouble?.name === 'lag' && change.intent) hiddenUntil.set(change.intent.id, now() + trouble.ms);
    book.commit({ ...change, ...keyUse, ...events });
    if (trouble?.name === 'slow' && call.key !== undefined) keys.hold(call.key);
    return reply;
  };

  return {
    handle: (call) => {
      if (!isSecret(call.authorization)) return deliver(call, unauthorized, undefined);
      const trouble = call.fault ?? methodNamed(confirmedMethod(call, book) ?? '')?.trouble;
      const away = turnedAway(call, trouble);
      if (away !== undefined) return away;
      const request = digest(`${call.method} ${call.path}`, call.params);
      if (call.method === 'POST' && call.key !== undefined) {
        const recalled = keys.recall(call.key, request, now());
        if (recalled.kind === 'conflict') return deliver(call, recalled.answer, call.fault);
        if (recalled.kind === 'replay') {
          return deliver(call, recalled.use.answer, call.fault, recalled.use.requestId);
        }
      }
      return execute(call, request, trouble);
    },
    answered: ({ key }) => {
      if (key !== undefined) keys.letGo(key);
    },
  };
};
