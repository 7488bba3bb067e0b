import { type Answer, invalid, noSuchIntent, ok } from './answer.ts';
import type { Intent } from './intent.ts';
import { optionalText, type Params } from './params.ts';

/** Stripe's own page sizes. */
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

const COMPARISONS: Readonly<Record<string, (created: number, bound: number) => boolean>> = {
  gt: (created, bound) => created > bound,
  gte: (created, bound) => created >= bound,
  lt: (created, bound) => created < bound,
  lte: (created, bound) => created <= bound,
};

const createdWithin = (intent: Intent, created: unknown): boolean => {
  if (typeof created !== 'object' || created === null)
    return created === undefined || Number(created) === intent.created;
  return Object.entries(created).every(([name, bound]) => COMPARISONS[name]?.(intent.created, Number(bound)) ?? true);
};

/** One page of a list that is newest first, as Stripe gives it out. */
export const listPage = (newestFirst: readonly Intent[], params: Params): Answer => {
  const limit = Number(params['limit'] ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    return invalid(`limit must be an integer from 1 to ${LIMIT_MAX}`, { param: 'limit' });
  }
  const after = optionalText(params['starting_after']);
  const start = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) return noSuchIntent(after);
  const rest = newestFirst.slice(start).filter((intent) => createdWithin(intent, params['created']));
  return ok({
    object: 'list',
    url: '/v1/payment_intents',
    has_more: rest.length > limit,
    data: rest.slice(0, limit),
  });
};
