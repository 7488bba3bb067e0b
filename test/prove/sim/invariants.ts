import { type Claim, type DoneClaim, type Gate, isOpen } from '../../../lib/idempotency/claim.ts';
import type { EffectCall } from '../../../lib/idempotency/effect.ts';
import type { Write } from '../../../lib/idempotency/transition.ts';
import type { PaymentCommand } from '../../../lib/payments/command.ts';
import type { Actor, Answered } from './actor.ts';
import type { RequestSpec } from './scenario.ts';
import { expiryOf, type StoreWatch } from './store.ts';
import type { World } from './world.ts';

export const INVARIANTS = [
  'at most one charge for one scope and key',
  'at most one paid operation for one order',
  'what is done never changes',
  'performed is stored if and only if the provider charged that amount',
  'every final answer is the stored bytes',
  'no answer crosses scopes',
  'an answer speaks of the request that it answers',
  'only what is done expires, and whatever is open is in the index',
  'everything ends settled, or quarantined for a reason',
  'no call to the provider but what its gate says',
  'a key at the provider belongs to one operation',
  'an order is locked by an open operation only',
  'no answer is contradicted later',
  'a payment is recorded if and only if it was performed',
  'every function ends',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
}

/** What was settled, for whom. */
export interface Settled {
  readonly claim: DoneClaim;
  readonly body: string;
  readonly spec: RequestSpec | undefined;
}

const TEXT = new TextDecoder();

/** How far two clocks differ at most; an expiry may be early by as much. */
const SKEW_MAX_MS = 20 * 60 * 1_000;

/** Watches every write, every call and every answer; the first violation ends the schedule. */
export class Invariants implements StoreWatch {
  broken: Violation | undefined;
  /** Every gate that ever passed, by operation. */
  readonly gates = new Map<string, Gate>();
  /** Who claimed each operation. */
  readonly claimants = new Map<string, RequestSpec | undefined>();
  readonly settled = new Map<string, Settled>();
  readonly #generations = new Map<string, number>();
  readonly #keys = new Map<string, string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  fail(invariant: Invariant, detail: string): void {
    this.broken ??= { invariant, detail };
  }

  /** The claim's generation: a lawful reuse of a key after its expiry begins a new one. */
  generationOf(pk: string): string {
    return `${pk} ${this.#generations.get(pk) ?? 0}`;
  }

  /** Items that DynamoDB deleted after their expiry. */
  forget(pks: readonly string[]): void {
    for (const pk of pks) this.#nextGeneration(pk);
  }

  claimChanged(before: Claim | undefined, after: Claim | undefined, write: Write): void {
    if (before?.status === 'done') this.#doneChanged(before, write);
    if (after === undefined) return;
    if (write.kind === 'claim') this.claimants.set(after.operation, this.#world.current.spec);
    if (write.kind === 'gate' && after.status === 'executing' && after.gate)
      this.gates.set(after.operation, after.gate);
    if (after.status === 'done') this.#settles(after);
    else if (expiryOf(after) !== undefined || !isOpen(after) || !Number.isFinite(after.dueAt))
      this.fail('only what is done expires, and whatever is open is in the index', JSON.stringify(after));
  }

  #doneChanged(before: DoneClaim, write: Write): void {
    const isExpired = before.expiresAt * 1000 <= this.#world.now + SKEW_MAX_MS;
    if (write.kind === 'claim' && isExpired) this.#nextGeneration(before.pk);
    else this.fail('what is done never changes', `${before.operation}: ${before.outcome.result}, then "${write.kind}"`);
  }

  #settles(claim: DoneClaim): void {
    const { operation, outcome, response } = claim;
    const spec = this.claimants.get(operation);
    this.settled.set(operation, { claim, body: TEXT.decode(response.body), spec });
    if (outcome.result !== 'performed') return;
    const intent = this.#world.provider.intents.find(({ ref }) => ref === outcome.ref);
    const isCharged = intent !== undefined && intent.status !== 'declined' && intent.command.amount === spec?.amount;
    if (!isCharged)
      this.fail('performed is stored if and only if the provider charged that amount', `${operation} was not charged`);
  }

  #nextGeneration(pk: string): void {
    this.#generations.set(pk, (this.#generations.get(pk) ?? 0) + 1);
  }

  /** Before a call to the provider. */
  providerCalled({ operation, key, command }: EffectCall<PaymentCommand>): void {
    const gate = this.gates.get(operation);
    if (gate?.providerKey !== key || JSON.stringify(gate.command) !== JSON.stringify(command))
      this.fail('no call to the provider but what its gate says', `${operation} under ${key}`);
    const owner = this.#keys.get(key) ?? operation;
    if (owner !== operation) this.fail('a key at the provider belongs to one operation', `${owner} and ${operation}`);
    this.#keys.set(key, operation);
  }

  /** After money moved. */
  charged(): void {
    const { movements } = this.#world.provider;
    const last = movements.at(-1);
    if (last === undefined) return;
    const { generation, intent } = last;
    const others = movements.slice(0, -1);
    if (others.some((movement) => movement.generation === generation))
      this.fail('at most one charge for one scope and key', `${intent.operation} under ${generation}`);
    if (others.some((movement) => orderOf(movement.intent.command) === orderOf(intent.command)))
      this.fail('at most one paid operation for one order', orderOf(intent.command));
  }

  /** When a client gets its answer. */
  answered(actor: Actor, answer: Answered): void {
    if (answer.status === 201 || answer.status === 402) this.#final(actor, answer.body);
    else this.#problem(actor, answer);
  }

  #final({ spec }: Actor, body: string): void {
    const settled = [...this.settled.values()].find((candidate) => candidate.body === body);
    const { subject, key, orderId, amount } = settled?.spec ?? {};
    const isSame = key === spec?.key && orderId === spec?.orderId && amount === spec?.amount;
    if (settled === undefined) this.fail('every final answer is the stored bytes', body);
    else if (subject !== spec?.subject) this.fail('no answer crosses scopes', body);
    else if (!isSame) this.fail('an answer speaks of the request that it answers', body);
  }

  #problem({ spec }: Actor, { code }: Answered): void {
    if (code === 'order-already-paid' && !this.#isPaid(spec?.orderId))
      this.fail('no answer is contradicted later', `order ${spec?.orderId} is not paid`);
    const { requests } = this.#world.scenario;
    const known = requests.filter(({ subject, key }) => subject === spec?.subject && key === spec.key);
    const isReused = known.some(({ orderId, amount }) => orderId !== spec?.orderId || amount !== spec.amount);
    if (code === 'idempotency-key-reused' && !isReused)
      this.fail('an answer speaks of the request that it answers', `${spec?.key} was used for one request only`);
  }

  #isPaid(orderId: string | undefined): boolean {
    return this.#world.provider.intents.some(
      ({ status, command }) => status === 'succeeded' && command.orderId === orderId,
    );
  }
}

const orderOf = ({ tenant, orderId }: PaymentCommand): string => `${tenant ?? ''}/${orderId}`;
