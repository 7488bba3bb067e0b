import { storeUnavailable } from '../idempotency/answers.ts';
import { type Attempt, type Begun, refused } from '../idempotency/attempt.ts';
import { begin } from '../idempotency/begin.ts';
import { ALGORITHMS, compare, type Fingerprint, type RequestIdentity } from '../idempotency/fingerprint.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { Protocol, ProtocolEvent } from '../idempotency/protocol.ts';

/**
 * Begins an attempt, and before it calls the request another one, compares it by the rules that the claim was made by:
 * a deployment may have changed them since. A claim by rules that this code lacks (it was rolled back) is left alone:
 * 503, and the client comes again with the same key, where a 422 would send it away to pay under a new one.
 */
export async function beginByStoredRules<C extends JsonObject>(
  protocol: Protocol,
  attempt: Attempt<C>,
  request: RequestIdentity,
  algorithms = ALGORITHMS,
): Promise<Begun> {
  let mismatch: ProtocolEvent | undefined;
  const observe = (event: ProtocolEvent): void => {
    if (event.kind === 'mismatch') mismatch = event;
    else protocol.observe(event);
  };
  const begun = await begin({ ...protocol, observe }, attempt);
  if (mismatch === undefined || begun.kind === 'run') return begun;
  switch (compare(begun.stored, request, algorithms)) {
    case 'same':
      // The claim that is there says by which rules its requests are the same.
      return begin(protocol, { ...attempt, fingerprint: begun.stored as Fingerprint });
    case 'incomparable':
      protocol.observe({ kind: 'store-error', reason: 'The claim has a fingerprint that this code cannot compare.' });
      return refused(storeUnavailable());
    case 'another':
      protocol.observe(mismatch);
      return begun;
  }
}
