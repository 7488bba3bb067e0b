import { isGated } from './admission.ts';
import { isOpen, type OpenClaim } from './claim.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import type { ReconcileOptions } from './reconcile.ts';
import { noteAge, noteError, type ReconcileReport, stillOpen } from './reconcile-report.ts';
import { type Recovery, recover } from './recovery.ts';
import { hasLanded } from './store.ts';
import { after } from './time.ts';

/** The pause between two looks at one claim doubles up to this. */
const BACK_OFF_MAX_MS = 15 * 60 * 1_000;

/** Shortest pause between two looks; otherwise a tenth of the grace period, so that the period holds several looks. */
const BACK_OFF_MIN_MS = 1_000;

/** Looks at a claim whose effect is absent although its key is used up: by then no index lags any more. */
const STUCK_LOOKS_MAX = 7;

/** A day of looks at the longest pause. */
const LOOKS_MAX = 100;

/** A quarantined claim is looked at again, in case the provider finds the effect after all. */
const QUARANTINE_PAUSE_MS = 6 * 60 * 60 * 1_000;

/** Looks at one due claim: takes its turn, and settles, releases, quarantines or leaves it. */
export async function reconcileClaim<C extends JsonObject>(
  protocol: Protocol,
  options: ReconcileOptions<C>,
  pk: string,
  report: ReconcileReport,
): Promise<void> {
  const claim = await lease(protocol, options, pk);
  if (claim === undefined) return;
  report.examined += 1;
  await resolve(protocol, options, claim, report);
}

/** The index is a hint: read the claim again, and take its turn (T7) so that two runs do not double the look-ups. */
async function lease<C extends JsonObject>(
  { store, ambient }: Protocol,
  { graceMs }: ReconcileOptions<C>,
  pk: string,
): Promise<OpenClaim | undefined> {
  const now = ambient.now();
  const found = await store.read(pk);
  if (!isOpen(found) || found.dueAt > now || found.leaseUntil > now) return undefined;
  const { operation } = found;
  const pauseMs =
    found.quarantine === undefined ? backOffMs(found.attempts, graceMs, ambient.random()) : QUARANTINE_PAUSE_MS;
  const write = { kind: 'lease', pk, operation, dueWas: found.dueAt, dueAt: after(now, pauseMs) } as const;
  const result = await store.write(write);
  return result.kind === 'applied' ? { ...found, attempts: found.attempts + 1, dueAt: write.dueAt } : undefined;
}

const backOffMs = (attempts: number, graceMs: number, random: number): number => {
  const base = Math.max(BACK_OFF_MIN_MS, graceMs / 10);
  return Math.round(Math.min(BACK_OFF_MAX_MS, base * 2 ** attempts) * (1 + random / 2));
};

async function resolve<C extends JsonObject>(
  protocol: Protocol,
  { effect, graceMs, budget }: ReconcileOptions<C>,
  claim: OpenClaim,
  report: ReconcileReport,
): Promise<void> {
  const { store, ambient, observe } = protocol;
  const { pk, operation, owner } = claim;
  if (claim.status === 'claimed') {
    const result = await store.write({ kind: 'release', pk, operation, owner, lapsedAt: ambient.now() });
    if (!hasLanded(result)) return stillOpen(claim, ambient.now(), report);
    observe({ kind: 'released', operation });
    report.released += 1;
    return;
  }
  if (!isGated(claim))
    return quarantine(protocol, claim, 'the handler died and nothing can look its effect up', report);
  const isGraceOver = ambient.now() >= after(claim.leaseUntil, graceMs);
  const whenAbsent = isGraceOver ? 'close' : 'wait';
  const recovery = await recover(protocol, { effect, claim, budget, by: 'reconciler', whenAbsent }).catch(
    (error: unknown): Recovery => {
      noteError(protocol, error, report);
      return { kind: 'open', reason: String(error), stuck: false };
    },
  );
  switch (recovery.kind) {
    case 'settled':
      report.settled[recovery.outcome.result] += 1;
      return;
    case 'superseded':
      return;
    case 'hopeless':
      return quarantine(protocol, claim, recovery.reason, report);
    case 'open': {
      const looksMax = recovery.stuck ? STUCK_LOOKS_MAX : LOOKS_MAX;
      if (claim.attempts < looksMax) return stillOpen(claim, ambient.now(), report);
      return quarantine(protocol, claim, `${recovery.reason}, after ${claim.attempts} looks`, report);
    }
  }
}

/** T8. A claim that is quarantined already stays so, without a second alarm. */
async function quarantine(
  { store, ambient, observe }: Protocol,
  claim: OpenClaim,
  reason: string,
  report: ReconcileReport,
): Promise<void> {
  const now = ambient.now();
  if (claim.quarantine !== undefined) return stillOpen(claim, now, report);
  noteAge(claim, now, report);
  const { pk, operation } = claim;
  const result = await store.write({
    kind: 'quarantine',
    pk,
    operation,
    reason,
    dueAt: after(now, QUARANTINE_PAUSE_MS),
  });
  if (!hasLanded(result)) return;
  report.quarantined += 1;
  observe({ kind: 'quarantined', operation, reason });
}
