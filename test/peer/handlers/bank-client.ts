import type { Charge } from '../bank.ts';

/** What both handlers know of the bank. */

export interface Order {
  readonly orderId: string;
  readonly amount: number;
}

/** @throws when the bank does not answer, or answers anything but a charge. */
export async function charge(
  bankUrl: string,
  order: Order & { readonly reference: string },
  key: string,
  timeoutMs?: number,
): Promise<Charge> {
  const response = await fetch(`${bankUrl}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(order),
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
  });
  if (response.status !== 201) throw new Error(`The bank answered ${response.status}`);
  return (await response.json()) as Charge;
}

export async function chargesWith(bankUrl: string, reference: string, timeoutMs: number): Promise<readonly Charge[]> {
  const query = new URLSearchParams({ reference });
  const response = await fetch(`${bankUrl}/charges?${query}`, { signal: AbortSignal.timeout(timeoutMs) });
  return (await response.json()) as readonly Charge[];
}

/** True when no charge can follow under the key any more. */
export async function closeKey(bankUrl: string, key: string, timeoutMs: number): Promise<boolean> {
  const response = await fetch(`${bankUrl}/closed-keys`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    signal: AbortSignal.timeout(timeoutMs),
  });
  return response.status === 200;
}

/** A header that a scenario sets to make the handler fail once its charge is made. */
export const FAIL_HEADER = 'x-fail-after-charge';
