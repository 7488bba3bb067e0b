import { Logger } from '@aws-lambda-powertools/logger';
import type { ProtocolEvent } from '../idempotency/protocol.ts';

const logger = new Logger({ serviceName: 'chipta' });

/** Events that a person must look at. */
const ERRORS: ReadonlySet<ProtocolEvent['kind']> = new Set(['anomaly', 'quarantined']);
const WARNINGS: ReadonlySet<ProtocolEvent['kind']> = new Set(['handed-off', 'store-error', 'not-enough-time']);

/** Writes a protocol event as one line of JSON. Events carry operation ids, never keys, bodies or principals. */
export function logEvent(event: ProtocolEvent): void {
  const { kind, ...detail } = event;
  if (ERRORS.has(kind)) logger.error(kind, detail);
  else if (WARNINGS.has(kind)) logger.warn(kind, detail);
  else logger.info(kind, detail);
}

export const logError = (error: unknown): void => logger.error('unexpected error', error as Error);

export const logReport = (report: object): void => logger.info('reconciled', { report });
