import type { ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import type { Ambient } from '../../lib/idempotency/time.ts';
import { deduplicate, type FailedMessage } from '../../lib/middy/deduplicate.ts';
import { type ReceiptJob, type ReceiptSender, readReceiptJob } from '../../lib/payments/receipts.ts';

export type MessageEvent = FailedMessage & { readonly kind: 'message-failed' };

export interface Dependencies {
  readonly store: Store;
  readonly ambient: Ambient;
  readonly sender: ReceiptSender;
  readonly observe: (event: ProtocolEvent | MessageEvent) => void;
}

/** What handing one mail over takes at most; the sender must end within it. */
const SEND_MS_MAX = 5_000;

/** Receipt jobs from the queue: each payment gets its receipt once, however often its job was queued or delivered. */
export const createHandler = ({ store, ambient, sender, observe }: Dependencies) =>
  deduplicate<ReceiptJob>({
    store,
    ambient,
    observe,
    onFailed: (message) => observe({ kind: 'message-failed', ...message }),
    read: readReceiptJob,
    workMs: SEND_MS_MAX,
    work: ({ jobKey, ...receipt }) => sender.send(jobKey, receipt),
  });
