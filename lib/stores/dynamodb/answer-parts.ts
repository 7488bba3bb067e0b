import { PARTITION_KEY, TTL_ATTRIBUTE } from '../../contract/table.ts';
import type { DoneClaim, KeptResponse } from '../../idempotency/claim.ts';
import type { Ambient } from '../../idempotency/time.ts';
import type { WriteOf } from '../../idempotency/transition.ts';
import { type Form, formOf, fromPayload, lost, type Pointer } from './answer-form.ts';
import type { Action } from './inputs.ts';
import type { Item } from './item.ts';
import type { Table } from './table.ts';

/** An item takes 400 kB with its key and its names. */
const PART_BYTES_MAX = 400 * 1_024 - 512;

/** 6 MB of Lambda's, headers included. */
const PARTS_MAX = 16;

/**
 * All parts of an answer together, their repetitions included. 6 MB take some 500 ms; with a table that has to be asked
 * twice the answer is given up, because the settlement behind it must not be.
 */
const WRITING_MS_MAX = 2_000;

/**
 * A transaction costs twice its size, a request of its own some milliseconds. An answer up to this size rides along
 * where a settlement is a transaction anyway.
 */
const RIDING_BYTES_MAX = 4_096;

/** What a settlement writes of its answer. */
export interface Kept {
  /** The claim's `response`. */
  readonly response: Item;
  /** Further actions for the settlement's transaction. */
  readonly riding: readonly Action[];
  /** Why the bytes could not be kept. */
  readonly lost?: string;
}

/** The slash keeps parts apart from claims, the sign from records: their names begin with a table, where it is encoded. */
const partKey = (pk: string, id: string, n: number): string => `#answer/${pk}/${id}/${n}`;

const BYTES = 'bytes';

/**
 * Puts the bytes of an answer where they belong before its claim is settled, so that `done` never leads to what is not
 * there. Whatever happens to them, the claim can be settled: with its answer, or marked as having lost it.
 */
export async function keepAnswer(
  table: Table,
  ambient: Pick<Ambient, 'id'>,
  write: WriteOf<'settle'>,
  isTransaction: boolean,
): Promise<Kept> {
  const form = formOf(write);
  if (form.kind === 'inside') return { response: form.response, riding: [] };
  const { actions, response } = inParts(table, ambient.id(), write, form);
  if (isTransaction && form.payload.byteLength <= RIDING_BYTES_MAX) return { response, riding: actions };
  try {
    await writeAll(table, actions);
    return { response, riding: [] };
  } catch (error) {
    return { response: lost(write.response), riding: [], lost: String(error) };
  }
}

function inParts(
  table: Table,
  id: string,
  { pk, expiresAt }: WriteOf<'settle'>,
  { payload, pointed }: Extract<Form, { kind: 'beside' }>,
): { readonly actions: readonly Action[]; readonly response: Item } {
  const parts = Math.ceil(payload.byteLength / PART_BYTES_MAX);
  const actions = Array.from({ length: parts }, (_, n): Action => {
    const bytes = payload.subarray(n * PART_BYTES_MAX, (n + 1) * PART_BYTES_MAX);
    const Item = { [PARTITION_KEY]: partKey(pk, id, n), [TTL_ATTRIBUTE]: expiresAt, [BYTES]: bytes };
    return { Put: { TableName: table.name, Item } };
  });
  return { actions, response: pointed(id, parts) };
}

async function writeAll(table: Table, actions: readonly Action[]): Promise<void> {
  if (actions.length > PARTS_MAX) throw new RangeError(`The answer takes ${actions.length} items of 400 kB.`);
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(WRITING_MS_MAX)]);
  try {
    await Promise.all(actions.map((action) => table.send(action, signal)));
  } catch (error) {
    failed.abort(); // The others would only take time from the settlement.
    throw error;
  }
}

/**
 * Reads an answer that lies beside its claim. What is missing, or is not what was written, is gone for good, and said so.
 *
 * @throws StoreUnavailableError when nobody can tell
 */
export async function fetchAnswer(table: Table, claim: DoneClaim, pointer: Pointer): Promise<KeptResponse> {
  const { pk, response } = claim;
  const { id, parts } = pointer;
  if (response.status === undefined || !(parts <= PARTS_MAX)) return response;
  const items = await Promise.all(Array.from({ length: parts }, (_, n) => table.get(partKey(pk, id, n))));
  const found = items.map((item) => item?.[BYTES]).filter((bytes) => bytes instanceof Uint8Array);
  const payload = found.length === 1 ? (found[0] as Uint8Array) : Buffer.concat(found);
  return fromPayload(response.status, pointer, payload) ?? response;
}
