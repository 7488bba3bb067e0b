import { type Answer, isStatus } from './answer.ts';
import { isBase64 } from './base64.ts';
import { IntentionError } from './errors.ts';
import type { FrozenRequest } from './request.ts';

interface Kept {
  readonly key: string;
  readonly request: FrozenRequest;
}

/** Nothing has left this device under the key. */
export interface UnsentRecord extends Kept {
  readonly state: 'unsent';
}

/** It may have happened. */
export interface SentRecord extends Kept {
  readonly state: 'sent';
  /** When the first attempt was about to leave. */
  readonly sentAt: number;
}

/** What became of it. */
export interface SettledRecord extends Kept {
  readonly state: 'settled';
  readonly answer: Answer;
}

export type IntentionRecord = UnsentRecord | SentRecord | SettledRecord;

const VERSION = 1;

export const encodeRecord = (record: IntentionRecord): string => JSON.stringify({ v: VERSION, ...record });

/** @throws {IntentionError} `record-unreadable`; taken for absent, it would be paid for a second time under a new key */
export function decodeRecord(name: string, text: string): IntentionRecord {
  const value = parse(text);
  if (isRecord(value)) return value;
  throw new IntentionError(
    'record-unreadable',
    `What is stored under "${name}" is no intention that this version can read. It may hold the key of a request that ` +
      'happened: find out, then remove it from the storage.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Any value, seen as something that may have the members of `T`. */
type Maybe<T> = { readonly [K in keyof T]?: unknown };

const isObject = <T>(value: unknown): value is Maybe<T> => typeof value === 'object' && value !== null;

function isRecord(value: unknown): value is IntentionRecord {
  if (!isObject<{ v: number; sentAt: number } & SettledRecord>(value)) return false;
  const { v, key, request, state, sentAt, answer } = value;
  if (v !== VERSION || typeof key !== 'string' || !isRequest(request)) return false;
  if (state === 'unsent') return true;
  return state === 'sent' ? typeof sentAt === 'number' : state === 'settled' && isAnswer(answer);
}

const isRequest = (value: unknown): value is FrozenRequest =>
  isObject<FrozenRequest>(value) &&
  [value.method, value.url, value.contentType].every((member) => typeof member === 'string') &&
  isBase64(value.body);

const isAnswer = (value: unknown): value is Answer =>
  isObject<Answer>(value) && isStatus(value.status) && isFields(value.headers) && isBase64(value.body);

const isFields = (value: unknown): value is Answer['headers'] =>
  Array.isArray(value) &&
  value.every((field) => Array.isArray(field) && field.length === 2 && field.every((part) => typeof part === 'string'));
