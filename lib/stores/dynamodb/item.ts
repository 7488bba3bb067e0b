import { DUE_AT, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../../contract/table.ts';
import {
  type Claim,
  type ClaimedClaim,
  type DoneClaim,
  type Gate,
  type NewerClaim,
  type Outcome,
  SCHEMA_VERSION,
} from '../../idempotency/claim.ts';
import { StoreUnavailableError } from '../../idempotency/errors.ts';
import type { JsonObject } from '../../idempotency/json.ts';
import type { Due, RecordKey } from '../../idempotency/store.ts';
import type { EpochMs } from '../../idempotency/time.ts';
import { recordName, shardOf } from '../placement.ts';
import { fromResponse } from './answer-form.ts';

/** An item in the words of the document client. */
export type Item = Readonly<Record<string, unknown>>;

/** The one attribute that holds a domain record: none of its members can become the TTL or a key of the index. */
export const RECORD = 'record';

/** A claim's key is base64url, so the slash in a record's name keeps records and claims apart. */
export function toRecordItem(at: RecordKey, record: JsonObject, dueAt: EpochMs | undefined, shards: number): Item {
  const pk = recordName(at);
  const due = dueAt !== undefined && { [DUE_SHARD]: shardOf(pk, shards), [DUE_AT]: dueAt };
  return { [PARTITION_KEY]: pk, [RECORD]: record, ...due };
}

/** Only `toRecordItem` writes under a record's key. */
export const fromRecordItem = (item: Item): JsonObject => item[RECORD] as JsonObject;

/** The index projects the keys, so both are there. */
export function fromDueItem(item: Item): Due {
  const pk = item[PARTITION_KEY] as string;
  const dueAt = item[DUE_AT] as EpochMs;
  const slash = pk.indexOf('/');
  if (slash === -1) return { kind: 'claim', pk, dueAt };
  return { kind: 'record', table: decodeURIComponent(pk.slice(0, slash)), key: pk.slice(slash + 1), dueAt };
}

export function toItem(claim: Claim, shards: number): Item {
  const { v, pk, operation, owner, fingerprint, scope, createdAt, status } = claim;
  const identity = { v, [PARTITION_KEY]: pk, operation, owner, fingerprint, scope, createdAt, status };
  const gate = 'gate' in claim && claim.gate !== undefined ? gateAttributes(claim.gate) : {};
  if (claim.status === 'done') return { ...identity, ...gate, ...doneAttributes(claim, { ...claim.response }) };

  const { leaseUntil, dueAt, attempts, quarantine } = claim;
  const due = { [DUE_SHARD]: shardOf(pk, shards), [DUE_AT]: dueAt };
  return { ...identity, ...gate, leaseUntil, attempts, ...(quarantine !== undefined && { quarantine }), ...due };
}

/** The command is kept as text: a map of DynamoDB forgets the order of members, and whoever resends needs every byte. */
export const gateAttributes = ({ providerKey, command, sentAt, providerRef }: Gate): Item => ({
  providerKey,
  command: JSON.stringify(command),
  sentAt,
  ...(providerRef !== undefined && { providerRef }),
});

type Done = Pick<DoneClaim, 'outcome' | 'settledBy' | 'expiresAt'>;

/** `response` is what the claim itself holds of its answer. */
export function doneAttributes({ outcome, settledBy, expiresAt }: Done, response: Item): Item {
  const detail = outcome.detail !== undefined && { detail: JSON.stringify(outcome.detail) };
  return { outcome: { ...outcome, ...detail }, response, settledBy, [TTL_ATTRIBUTE]: expiresAt };
}

/** What `toItem` writes, as it is read back. */
type ClaimItem = Omit<ClaimedClaim, 'status'> &
  Omit<DoneClaim, 'status' | 'gate' | 'outcome' | 'response'> &
  Omit<Gate, 'command'> & {
    readonly status: Claim['status'];
    readonly command: string;
    readonly outcome: Omit<Outcome, 'detail'> & { readonly detail?: string };
    readonly response?: unknown;
  };

/** @throws StoreUnavailableError when the item was not written by any version of this code. */
export function fromItem(item: Item): Claim | NewerClaim {
  const { v, status } = item;
  const pk = String(item[PARTITION_KEY]);
  if (typeof v === 'number' && v > SCHEMA_VERSION) return { status: 'newer', v, pk };
  if (v !== SCHEMA_VERSION || !isStatus(status))
    throw new StoreUnavailableError(
      `The item "${pk}" is no claim (v ${v}, status ${status}): keep other items out of the claims' table.`,
    );
  return toClaim(item as unknown as ClaimItem); // The version is ours, and only this file makes items of it.
}

const STATUSES: readonly unknown[] = ['claimed', 'executing', 'unknown', 'done'] satisfies Claim['status'][];
const isStatus = (status: unknown): status is Claim['status'] => STATUSES.includes(status);

function toClaim(item: ClaimItem): Claim {
  const { v, pk, operation, owner, fingerprint, scope, createdAt } = item;
  const identity = { v, pk, operation, owner, fingerprint, scope, createdAt };
  const gate = gateOf(item);
  if (item.status === 'done') return { ...identity, status: 'done', ...(gate && { gate }), ...doneOf(item) };

  const { leaseUntil, dueAt, attempts, quarantine } = item;
  const open = { ...identity, leaseUntil, dueAt, attempts, ...(quarantine !== undefined && { quarantine }) };
  if (item.status === 'claimed') return { ...open, status: 'claimed' };
  if (gate === undefined) return { ...open, status: 'executing' };
  return { ...open, status: item.status, gate };
}

function gateOf({ providerKey, command, sentAt, providerRef }: ClaimItem): Gate | undefined {
  if (providerKey === undefined) return undefined;
  return { providerKey, command: JSON.parse(command), sentAt, ...(providerRef !== undefined && { providerRef }) };
}

function doneOf({ outcome, response, settledBy, expiresAt }: ClaimItem) {
  const { detail, ...rest } = outcome;
  return {
    outcome: { ...rest, ...(detail !== undefined && { detail: JSON.parse(detail) as JsonObject }) },
    response: fromResponse(response),
    settledBy,
    expiresAt,
  };
}
