import { type Actor, newActor } from './actor.ts';
import type { Scenario } from './scenario.ts';

/** Everybody who will act, in the order of the scenario. */
export function castOf({ requests, reconcilers, webhooks, skewsMs }: Scenario): readonly Actor[] {
  const actors: Actor[] = [];
  const add = (role: Actor['role'], name: string, spec?: Scenario['requests'][number]): void => {
    const index = actors.length;
    actors.push(newActor(index, role, name, skewsMs[index] ?? 0, spec));
  };
  for (const [n, spec] of requests.entries()) add('request', `request ${n + 1}`, spec);
  for (let n = 1; n <= reconcilers; n++) add('reconciler', `reconciler ${n}`);
  for (let n = 1; n <= webhooks; n++) add('webhook', `webhook ${n}`);
  return actors;
}
