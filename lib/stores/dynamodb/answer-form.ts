import { hash } from 'node:crypto';
import { constants as zlib, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { BodilessResponse, KeptResponse, StoredResponse } from '../../idempotency/claim.ts';
import type { WriteOf } from '../../idempotency/transition.ts';
import type { Item } from './item.ts';
import { itemBytes, WRITE_UNIT_BYTES, writeUnits } from './item-size.ts';

/**
 * What a claim holds besides its outcome and its answer: `v`, `pk`, `operation`, `owner`, `fingerprint`, `scope`,
 * `createdAt`, `status`, `settledBy` and `expiresAt`, with room for a longer fingerprint.
 */
const IDENTITY_BYTES = 320;

/** What a gate adds: `providerKey`, `sentAt` and a command of some 100 bytes. A longer one makes its claim larger. */
const GATE_BYTES = 180;

/** What holds a part's bytes together: its key, its expiry and the names. */
const PART_OVERHEAD_BYTES = 128;

/** The fastest level: 10 kB of JSON to a sixth in 25 µs, 200 kB in 240 µs. Brotli's takes longer and leaves a tenth more. */
const LEVEL = { params: { [zlib.ZSTD_c_compressionLevel]: 1 } };

/** Lambda answers with 6 MB at most; whatever claims to unpack to more was not packed here. */
const UNPACKED_BYTES_MAX = 8_000_000;

/** How the headers and the body of an answer lie in one run of bytes: first the headers as JSON, then the body. */
interface Packing {
  /** Bytes once unpacked, and how many of them are the headers. */
  readonly length: number;
  readonly head: number;
  readonly encoding?: 'zstd';
}

/** What a claim says of an answer that lies beside it. */
export interface Pointer extends Packing {
  /** Fresh for each writer: nobody's claim ever leads to the bytes of another writer. */
  readonly id: string;
  /** Number of items. */
  readonly parts: number;
  /** Of the bytes as they are stored. */
  readonly sha256: Uint8Array;
}

/** An answer as a claim's `response` attribute and, where it is too large for that, the bytes beside the claim. */
export type Form =
  | { readonly kind: 'inside'; readonly response: Item }
  | { readonly kind: 'beside'; readonly payload: Uint8Array; pointed(id: string, parts: number): Item };

/** What is left of an answer whose bytes are not with the claim: enough to say what it was and where its thing is. */
const outline = ({ status, headers: { location } }: StoredResponse) => ({
  status,
  headers: location === undefined ? {} : { location },
});

/** An answer whose bytes could not be written. */
export const lost = (response: StoredResponse): Item => ({ ...outline(response), lost: true });

/** Where an answer goes: as it is into the claim, packed into the claim, or beside it. Packed once at most. */
export function formOf(write: WriteOf<'settle'>): Form {
  const { response, outcome } = write;
  const gateBytes = outcome.result === 'answered' ? 0 : GATE_BYTES;
  const room = WRITE_UNIT_BYTES - IDENTITY_BYTES - gateBytes - itemBytes({ outcome });
  const fits = (candidate: Item): boolean => itemBytes({ response: candidate }) <= room;
  const plain = { ...response };
  if (fits(plain)) return { kind: 'inside', response: plain };

  const headers = Buffer.from(JSON.stringify(response.headers));
  const whole = Buffer.concat([headers, response.body]);
  const size = { length: whole.byteLength, head: headers.byteLength };
  const packed = zstdCompressSync(whole, LEVEL);
  const inside = { ...outline(response), packed, ...size, encoding: 'zstd' };
  if (fits(inside)) return { kind: 'inside', response: inside };

  const isWorthIt = unitsOf(packed) < unitsOf(whole);
  const payload = isWorthIt ? packed : whole;
  const described = { ...size, sha256: sha256(payload), ...(isWorthIt && { encoding: 'zstd' as const }) };
  const pointed = (id: string, parts: number): Item => ({
    ...outline(response),
    beside: { id, parts, ...described } satisfies Pointer,
  });
  return { kind: 'beside', payload, pointed };
}

const unitsOf = ({ byteLength }: Uint8Array): number => writeUnits(PART_OVERHEAD_BYTES + byteLength);
const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

/** A `response` attribute, also one that is missing or damaged: nothing of it is taken for granted. */
interface Raw extends Partial<Packing> {
  readonly status?: unknown;
  readonly headers?: StoredResponse['headers'];
  readonly body?: unknown;
  readonly packed?: unknown;
  readonly beside?: Pointer;
}

/** What a claim itself knows of its answer: all of it, where it is inside. */
export function fromResponse(response: unknown): KeptResponse {
  const { status, headers, body, packed, ...packing } = (response ?? {}) as Raw;
  const known: BodilessResponse = { ...(typeof status === 'number' && { status }), headers: { ...headers } };
  if (typeof status !== 'number') return known;
  if (body instanceof Uint8Array) return { status, headers: known.headers, body: new Uint8Array(body) };
  return (packed instanceof Uint8Array && unpack(packed, status, packing as Packing)) || known;
}

/** Where the rest of an answer lies. */
export const pointerOf = (response: unknown): Pointer | undefined => ((response ?? {}) as Raw).beside;

/** The whole answer, or `undefined` when the bytes are not the ones that its writer wrote. */
export const fromPayload = (status: number, pointer: Pointer, payload: Uint8Array): StoredResponse | undefined =>
  isSame(pointer.sha256, sha256(payload)) ? unpack(payload, status, pointer) : undefined;

const isSame = (expected: unknown, found: Uint8Array): boolean =>
  expected instanceof Uint8Array && Buffer.compare(expected, found) === 0;

/** `undefined` for bytes that were damaged, or packed by newer code. */
function unpack(bytes: Uint8Array, status: number, { encoding, length, head }: Packing): StoredResponse | undefined {
  try {
    const whole = encoding === 'zstd' ? zstdDecompressSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes;
    if (whole.byteLength !== length) return undefined;
    const headers = JSON.parse(Buffer.from(whole.subarray(0, head)).toString());
    return { status, headers, body: new Uint8Array(whole.subarray(head)) };
  } catch {
    return undefined;
  }
}
