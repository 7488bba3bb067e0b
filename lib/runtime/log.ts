import { Logger } from '@aws-lambda-powertools/logger';
import type { JsonObject } from '../idempotency/json.ts';

const logger = new Logger({ serviceName: 'chipta' });

/** Events that a person must look at. */
const ERRORS: ReadonlySet<string> = new Set(['anomaly', 'quarantined']);
const WARNINGS: ReadonlySet<string> = new Set([
  'handed-off',
  'store-error',
  'not-enough-time',
  'payment-failed',
  'webhook-refused',
  'webhook-unfinished',
  'message-failed',
]);

/** Writes an event as one line of JSON. Events carry ids, never keys, bodies or principals. */
export function logEvent(event: { readonly kind: string }): void {
  const { kind, ...detail } = event;
  if (ERRORS.has(kind)) logger.error(kind, detail);
  else if (WARNINGS.has(kind)) logger.warn(kind, detail);
  else logger.info(kind, detail);
}

export const logError = (error: unknown): void => logger.error('unexpected error', error as Error);

export const logReport = (report: object): void => logger.info('reconciled', { report });

/** Until something else sends receipts, each is one line. */
export const logReceipt = async (id: string, receipt: JsonObject): Promise<void> =>
  logger.info('receipt', { id, receipt });
