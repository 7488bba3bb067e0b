import { type Found, isOpen } from '../../../lib/idempotency/claim.ts';
import { newActor } from './actor.ts';
import { checkEnding } from './ending.ts';
import type { Functions } from './functions.ts';
import type { RequestSpec } from './scenario.ts';
import type { World } from './world.ts';

/** Where the provider can tell, a handful of looks is enough for everything. */
const ROUNDS_MAX = 24;

/** Reconciles without faults until nothing is left to do, lets every client ask once more, and checks what came of it. */
export async function settleInPeace(world: World, functions: Functions): Promise<void> {
  world.inPeace = true;
  world.current = world.peace;
  await reconcileAll(world, functions);
  for (const spec of world.scenario.asksAgain ? new Set(world.scenario.requests) : []) {
    await askAgain(world, functions, spec);
    if (world.provider.isProcessing) await reconcileAll(world, functions);
  }
  if (world.scenario.asksAgain) await reconcileAll(world, functions);
  checkEnding(world);
}

async function reconcileAll(world: World, functions: Functions): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX && world.broken === undefined; round++) {
    if (round === 1) landAll(world);
    if (round >= 2) world.provider.conclude();
    const due = nextDue(world);
    if (due === undefined && world.moves.length === 0 && !world.provider.isProcessing) return;
    world.now = Math.max(world.now, (due ?? world.now) + 1);
    await functions.reconcile(world, world.peace);
  }
}

function landAll(world: World): void {
  for (const move of world.moves.splice(0)) if (move.move === 'ghost') world.courier.land(move.call);
}

/** When the last of what can be settled may be looked at. */
function nextDue({ store, scenario, provider }: World): number | undefined {
  let last: number | undefined;
  const note = (at: number): void => {
    last = Math.max(last ?? at, at);
  };
  for (const claim of store.claims.values()) {
    if (!isOpen(claim)) continue;
    const isFindable = provider.intents.some(({ operation }) => operation === claim.operation);
    const isKnowable = scenario.dedupes && claim.quarantine === undefined;
    if (isFindable || isKnowable || claim.status === 'claimed') note(Math.max(claim.dueAt, claim.leaseUntil));
  }
  for (const { dueAt } of store.records.values()) if (dueAt !== undefined) note(dueAt);
  return last;
}

/** The client asks once more, with the same key: what it hears must agree with what it heard, and with the ledger. */
async function askAgain(world: World, functions: Functions, spec: RequestSpec): Promise<void> {
  if (world.broken !== undefined) return;
  const before: Found[] = [...world.store.claims.values()];
  const actor = newActor(-1, 'peace', `late ${spec.subject} ${spec.key} ${spec.amount}`, 0, spec);
  world.current = actor;
  const answer = await functions.pay(world, actor);
  world.current = world.peace;
  if (answer === undefined) return world.invariants.fail('every function ends', 'a request in peace broke down');
  world.invariants.answered(actor, answer);
  const isLawful = answer.retry !== 'same-key' || isExcused(world, before);
  if (!isLawful)
    world.invariants.fail('everything ends settled, or quarantined for a reason', `${answer.code} for ever`);
}

/** While an operation is under review its order is locked; where the provider cannot tell, its claim stays open. */
const isExcused = ({ scenario }: World, before: readonly Found[]): boolean =>
  !scenario.dedupes || before.some((claim) => isOpen(claim) && claim.quarantine !== undefined);
