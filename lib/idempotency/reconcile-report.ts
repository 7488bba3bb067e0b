import type { OpenClaim, Outcome } from './claim.ts';
import type { Protocol } from './protocol.ts';
import type { EpochMs } from './time.ts';

/** What one run did. */
export interface ReconcileReport {
  examined: number;
  readonly settled: Record<Outcome['result'], number>;
  /** Claims whose owner died before the gate. */
  released: number;
  /** Records of the domain that have nothing left to wait for. */
  advanced: number;
  /** Still open, to be looked at again. */
  waiting: number;
  quarantined: number;
  errors: number;
  /** Age of the oldest claim that is still open, in milliseconds; 0 when there is none. */
  oldestOpenMs: number;
  /** Whether the run ended before its work, for lack of time; the next run goes on. */
  outOfTime: boolean;
}

export const emptyReport = (): ReconcileReport => ({
  examined: 0,
  settled: { performed: 0, declined: 0, 'not-performed': 0, answered: 0 },
  released: 0,
  advanced: 0,
  waiting: 0,
  quarantined: 0,
  errors: 0,
  oldestOpenMs: 0,
  outOfTime: false,
});

export function noteError({ observe }: Protocol, error: unknown, report: ReconcileReport): void {
  report.errors += 1;
  observe({ kind: 'store-error', reason: String(error) });
}

export function stillOpen(claim: OpenClaim, now: EpochMs, report: ReconcileReport): void {
  report.waiting += 1;
  noteAge(claim, now, report);
}

export function noteAge(claim: OpenClaim, now: EpochMs, report: ReconcileReport): void {
  report.oldestOpenMs = Math.max(report.oldestOpenMs, now - claim.createdAt);
}
