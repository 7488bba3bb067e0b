import { type Answer, cardError, invalid, noSuchIntent, notFound, ok } from './answer.ts';
import type { Book, Change } from './book.ts';
import { changedIntent, confirmIntent, type Intent, movementOf, newIntent } from './intent.ts';
import { listPage } from './listing.ts';
import { methodNamed } from './methods.ts';
import { isTrue, metadataOf, methodOf, newIntentOf, optionalText, type Params } from './params.ts';

/** What a call does. Only what was executed is remembered under a key. */
export type Result =
  | { readonly executed: false; readonly answer: Answer }
  | { readonly executed: true; readonly answer: Answer; readonly change: Change };

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly params: Params;
}

export interface Shelf {
  readonly book: Book;
  /** Whether look-ups show the intent yet. */
  visible(intent: Intent): boolean;
  readonly now: number;
}

const refused = (answer: Answer): Result => ({ executed: false, answer });
const read = (answer: Answer): Result => ({ executed: true, answer, change: {} });
const changed = (intent: Intent): Result => ({ executed: true, answer: ok(intent), change: { intent } });

const wrongState = (intent: Intent, verb: string): Result =>
  read(
    invalid(`You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`, {
      code: 'payment_intent_unexpected_state',
      payment_intent: intent,
    }),
  );

const confirm = (intent: Intent, params: Params, now: number): Result => {
  const given = methodOf(params['payment_method']);
  if (!given.ok) return refused(given.answer);
  const name = given.value ?? intent.payment_method;
  const method = name === null ? undefined : methodNamed(name);
  if (name === null || method === undefined) {
    const message = "You cannot confirm this PaymentIntent because it's missing a payment method.";
    return refused(invalid(message, { code: 'payment_intent_unexpected_state' }));
  }
  const { intent: after, error } = confirmIntent(
    intent,
    name,
    method.verdict,
    isTrue(params['error_on_requires_action']),
  );
  if (error !== undefined) {
    return { executed: true, answer: cardError({ ...error, payment_intent: after }), change: { intent: after } };
  }
  const movement = after.status === 'succeeded' ? { movement: movementOf(after, now) } : {};
  const settlesAt = method.verdict.kind === 'processes' ? { settlesAt: now + method.verdict.ms } : {};
  return { executed: true, answer: ok(after), change: { intent: after, ...movement, ...settlesAt } };
};

const create = (params: Params, now: number): Result => {
  const parsed = newIntentOf(params);
  if (!parsed.ok) return refused(parsed.answer);
  const intent = newIntent(parsed.value, now);
  return isTrue(params['confirm']) ? confirm(intent, params, now) : changed(intent);
};

/** Nothing can be done about a payment that has ended or that its bank is at work on. */
const LOCKED: ReadonlySet<Intent['status']> = new Set(['succeeded', 'canceled', 'processing']);

const confirmExisting = (intent: Intent, params: Params, now: number): Result =>
  LOCKED.has(intent.status) ? wrongState(intent, 'confirm') : confirm(intent, params, now);

const cancel = (intent: Intent, params: Params, now: number): Result =>
  LOCKED.has(intent.status)
    ? wrongState(intent, 'cancel')
    : changed(
        changedIntent(intent, {
          status: 'canceled',
          canceled_at: Math.floor(now / 1000),
          cancellation_reason: optionalText(params['cancellation_reason']),
        }),
      );

const update = (intent: Intent, params: Params): Result =>
  intent.status === 'canceled'
    ? wrongState(intent, 'update')
    : changed(
        changedIntent(intent, {
          metadata: { ...intent.metadata, ...metadataOf(params['metadata']) },
          description: optionalText(params['description']) ?? intent.description,
        }),
      );

const PATH = /^\/v1\/payment_intents(?:\/(?<id>[^/]+)(?:\/(?<verb>confirm|cancel))?)?$/;

/** Where a call confirms a payment: the name of the method, which decides what trouble it gets into. */
export const confirmedMethod = ({ method, path, params }: Call, book: Book): string | null => {
  const target = PATH.exec(path)?.groups;
  if (method !== 'POST' || target === undefined) return null;
  if (target['id'] === undefined) return isTrue(params['confirm']) ? optionalText(params['payment_method']) : null;
  if (target['verb'] !== 'confirm') return null;
  return optionalText(params['payment_method']) ?? book.intent(target['id'])?.payment_method ?? null;
};

/** One call on Stripe's payment intents: pure but for fresh ids; the caller commits the change. */
export const route = ({ method, path, params }: Call, shelf: Shelf): Result => {
  const target = PATH.exec(path)?.groups;
  const { id, verb } = target ?? {};
  if (target === undefined || (method !== 'POST' && method !== 'GET') || (method === 'GET' && verb !== undefined)) {
    return refused(notFound(method, path));
  }
  if (id === undefined) {
    if (method === 'POST') return create(params, shelf.now);
    return read(listPage(shelf.book.intents().filter(shelf.visible), params));
  }
  const intent = shelf.book.intent(id);
  if (intent === undefined) return refused(noSuchIntent(id));
  if (method === 'GET') return shelf.visible(intent) ? read(ok(intent)) : refused(noSuchIntent(id));
  if (verb === 'confirm') return confirmExisting(intent, params, shelf.now);
  if (verb === 'cancel') return cancel(intent, params, shelf.now);
  return update(intent, params);
};
