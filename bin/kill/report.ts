import type { Intention } from './intention.ts';
import type { RoundReport } from './round.ts';
import { recordOf } from './table.ts';

/** Everything that is known about the violations, for whoever has to understand them; empty when there are none. */
export function describeViolations({ seed, violations, table, ledger, anomalies }: RoundReport): string {
  if (violations.length === 0) return '';
  const byIntention = Map.groupBy(violations, ({ intention }) => intention);
  const parts = [...byIntention].map(([intention, found]) => {
    const what = found.map((violation) => `  ${violation.what}`).join('\n');
    if (intention === undefined) return `No intention is known for this:\n${what}`;
    const claim = table.claims.get(intention.pk);
    const operation = claim?.['operation'];
    const ofIntention = (record: Readonly<Record<string, unknown>>) => record['operation'] === operation;
    return [
      describeIntention(intention),
      what,
      ' history:',
      ...intention.history.map((line) => `  ${line}`),
      ` claim: ${show(claim)}`,
      ` orders: ${show(table.orders.map(recordOf).filter(ofIntention))}`,
      ` payments: ${show(table.payments.map(recordOf).filter(ofIntention))}`,
      ` ledger: ${show(ledger.filter(({ orderId }) => orderId === intention.body.orderId))}`,
      ...anomalies.filter((line) => operation !== undefined && line.includes(String(operation))),
    ].join('\n');
  });
  return [`VIOLATED, seed ${seed}`, ...parts].join('\n\n');
}

const describeIntention = ({ id, subject, key, body, manner, end }: Intention): string =>
  `Intention ${id} of ${subject} (${manner}, ${end}), key ${key}: ${JSON.stringify(body)}`;

const show = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
