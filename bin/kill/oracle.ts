import { STORED_FAILURE } from './customers.ts';
import type { Intention } from './intention.ts';
import { type Item, isClientClaim, recordOf, storedAnswer, type Table } from './table.ts';

/** One movement of money, in the provider's own books. */
export interface Movement {
  readonly orderId: string | null;
  readonly operation: string | null;
  readonly amount: number;
  readonly currency: string;
}

export interface Violation {
  /** The intention that it is about, where there is one. */
  readonly intention: Intention | undefined;
  readonly what: string;
}

export interface Evidence {
  readonly intentions: readonly Intention[];
  readonly table: Table;
  readonly ledger: readonly Movement[];
}

/** Whether a claim may stay open for good: its key is used up at the provider, and nothing was charged. */
export const mayWaitForOperator = (claim: Item, intention: Intention | undefined): boolean =>
  intention?.body.paymentMethod === STORED_FAILURE && typeof claim['quarantine'] === 'string';

/** Holds the ledger, the table and what the clients saw against each other. */
export function judgeRound({ intentions, table, ledger }: Evidence): readonly Violation[] {
  const byPk = new Map(intentions.map((intention) => [intention.pk, intention]));
  const byOrder = Map.groupBy(ledger, ({ orderId }) => orderId);
  const byOperation = Map.groupBy(ledger, ({ operation }) => operation);
  const claims = [...table.claims.values()].filter(isClientClaim);
  const operations = new Map(claims.map((claim) => [claim['operation'], claim]));
  const about = (intention: Intention | undefined) => (what: string) => ({ intention, what });
  const whose = (operation: unknown) => byPk.get(operations.get(operation)?.pk ?? '');

  return [
    ...[...byOrder].flatMap(([order, rows]) =>
      rows.length > 1 ? [about(whose(rows[0]?.operation))(`the order ${order} was charged ${rows.length} times`)] : [],
    ),
    ...ledger.flatMap((row) => strayCharge(row, whose(row.operation)).map(about(whose(row.operation)))),
    ...claims.flatMap((claim) => wrongClaim(claim, byPk.get(claim.pk)).map(about(byPk.get(claim.pk)))),
    ...intentions.flatMap((intention) => {
      const claim = table.claims.get(intention.pk);
      const rows = byOperation.get(String(claim?.['operation'])) ?? [];
      const others = byOrder.get(intention.body.orderId) ?? [];
      return wrongEnd(intention, claim, rows, others).map(about(intention));
    }),
    ...wrongOrders(table, ledger).map(([operation, what]) => about(whose(operation))(what)),
    ...wrongPayments(table, ledger, operations).map(([operation, what]) => about(whose(operation))(what)),
  ];
}

function strayCharge({ orderId, amount, currency }: Movement, intention: Intention | undefined): string[] {
  if (intention === undefined) return [`the order ${orderId} was charged by an operation that no claim knows`];
  const { body } = intention;
  const isRight = body.orderId === orderId && body.amount === amount && body.currency === currency;
  return isRight ? [] : [`charged ${amount} ${currency} for ${orderId}, which is not what was asked for`];
}

function wrongClaim(claim: Item, intention: Intention | undefined): string[] {
  const wrong: string[] = [];
  const isDone = claim['status'] === 'done';
  if (intention === undefined) wrong.push(`the claim ${claim.pk} belongs to no key that was ever sent`);
  if (!isDone && !mayWaitForOperator(claim, intention)) wrong.push(`still open (${claim['status']}) in the end`);
  if (isDone !== 'expiresAt' in claim) wrong.push(isDone ? 'done without expiresAt' : 'open with expiresAt');
  if (isDone === 'dueAt' in claim) wrong.push(isDone ? 'done and still in the index' : 'open and not in the index');
  return wrong;
}

/** A bank debit that the bank refuses in the end was answered 201 `processing` before. */
const FAILS_LATER = 'pm_sim_async_fail';

function wrongEnd(
  { end, finals, surprises, manner, body }: Intention,
  claim: Item | undefined,
  rows: readonly Movement[],
  ofOrder: readonly Movement[],
): string[] {
  const wrong = surprises.map((answer) => `answered ${answer}`);
  const [final, ...more] = finals.values();
  if (more.length > 0) wrong.push(`${finals.size} different final answers`);
  if (end === 'open') wrong.push(`a ${manner} client never got a final answer`);
  if (end === 'under-review' && body.paymentMethod !== STORED_FAILURE) wrong.push('under review without need');
  if (end === 'order-paid' && ofOrder.length === 0) wrong.push('told that the order is paid, which it is not');
  if (claim?.['status'] !== 'done') {
    if (final !== undefined) wrong.push('a final answer without a settled claim');
    if (rows.length > 0) wrong.push('charged without a settled claim');
    return wrong;
  }
  const { status, text = final?.text } = storedAnswer(claim);
  if (final === undefined) wrong.push('settled, and nobody gets the answer');
  else if (final.status !== status || final.text !== text) wrong.push('the final answer is not what is stored');
  if (status === 402 && rows.length > 0) wrong.push('answered 402, and charged');
  if (status === 201 && rows.length === 0 && body.paymentMethod !== FAILS_LATER)
    wrong.push('answered 201, not charged');
  if (status !== 201 && status !== 402) wrong.push(`settled with ${status}`);
  return wrong;
}

type About = readonly [operation: unknown, what: string];

/** Paid if and only if charged, by the very operation that charged; pending only for a claim that waits for a person. */
function wrongOrders({ orders, claims }: Table, ledger: readonly Movement[]): About[] {
  const waiting = new Set([...claims.values()].filter((claim) => 'quarantine' in claim).map((c) => c['operation']));
  const charged = new Set(ledger.map(({ operation }) => operation));
  const paid = new Set<unknown>();
  const wrong = orders.flatMap((item): About[] => {
    const { state, operation } = recordOf(item);
    if (state === 'pending')
      return waiting.has(operation) ? [] : [[operation, 'the order is locked by nobody at work']];
    paid.add(operation);
    return charged.has(String(operation)) ? [] : [[operation, 'the order is paid without a charge']];
  });
  const unpaid = [...charged].filter((operation) => !paid.has(operation));
  return [...wrong, ...unpaid.map((operation): About => [operation, 'charged, and the order is not paid'])];
}

function wrongPayments({ payments }: Table, ledger: readonly Movement[], claims: ReadonlyMap<unknown, Item>): About[] {
  const recorded = new Set<unknown>();
  const charged = new Set(ledger.map(({ operation }) => operation));
  const wrong = payments.flatMap((item): About[] => {
    const { operation, status, receipt } = recordOf(item);
    recorded.add(operation);
    if (!claims.has(operation)) return [[operation, 'a payment of no claim']];
    if (status === 'failed') return charged.has(String(operation)) ? [[operation, 'charged, and called failed']] : [];
    if (status !== 'succeeded') return [[operation, `the payment is ${status} in the end`]];
    if (receipt !== 'queued') return [[operation, 'the receipt was never queued']];
    return charged.has(String(operation)) ? [] : [[operation, 'the payment succeeded without a charge']];
  });
  const missing = [...charged].filter((operation) => !recorded.has(operation));
  return [...wrong, ...missing.map((operation): About => [operation, 'charged, and no payment is recorded'])];
}
