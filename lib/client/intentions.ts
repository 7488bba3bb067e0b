import type { Ambient } from './ambient.ts';
import { IntentionError } from './errors.ts';
import { Intention } from './intention.ts';
import { Kept, RACES_MAX } from './kept.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { freeze, type HeaderFields, type IntentionRequest, isSameRequest } from './request.ts';
import { guarded, type IntentionStorage } from './storage.ts';

/** API Gateway gives up after 29 s (an HTTP API after 30 s). A client that gives up first never hears that answer. */
const TIMEOUT_MS_DEFAULT = 35_000;
/** A service that lost an answer has found out by then; and a customer has looked at a spinner for long enough. */
const DEADLINE_MS_DEFAULT = 120_000;
/** The service's own default. */
const RETENTION_MS_DEFAULT = 24 * 60 * 60 * 1000;
/** Some ten times what a phone's clock is off before the network corrects it, and longer than any attempt. */
const CLOCK_MARGIN_MS_DEFAULT = 5 * 60 * 1000;

/** The server's rule. Without commas and quotation marks, which need quoting in the header. */
const KEY = /^(?=.{1,255}$)[!#-+\--~]+$/;

export interface IntentionsOptions extends Ambient {
  readonly storage: IntentionStorage;
  /** Asked for before each attempt, so that a token may be fresh. Never stored. @default none */
  readonly headers?: () => HeaderFields | Promise<HeaderFields>;
  /** For one attempt, its whole body included. @default 35 s */
  readonly timeoutMs?: number;
  /** For one `send`, all attempts and waits together. @default 2 minutes */
  readonly deadlineMs?: number;
  /** How long the server remembers a key at the least. @default 24 hours */
  readonly retentionMs?: number;
  /** How much earlier the client stops. @default 5 minutes */
  readonly clockMarginMs?: number;
}

export interface Intentions {
  /**
   * The intention of this name: the one that is kept, or a new one with a key of its own. When it resolves, key and
   * bytes are in the storage, and no later change of the caller's objects changes them.
   *
   * The same request finds the same intention, also a settled one with its answer. Another request takes the place of a
   * settled one.
   *
   * @throws {IntentionError} `request-changed`, when another request is kept that is not settled; `request-invalid`,
   * `storage-failed`, `record-unreadable`
   */
  open(name: string, request: IntentionRequest): Promise<Intention>;
  /** The intention that is kept under this name, for a page that was reloaded. */
  find(name: string): Promise<Intention | undefined>;
}

/** Intentions that share a storage, headers and limits. */
export function intentions(options: IntentionsOptions): Intentions {
  const storage = guarded(options.storage);
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS_DEFAULT;
  const ports = {
    // Named one by one: they may be methods of a class.
    now: () => options.now(),
    random: () => options.random(),
    sleep: (ms: number, signal: AbortSignal) => options.sleep(ms, signal),
    fetch: (url: string, init: RequestInit) => options.fetch(url, init),
    makeKey: () => options.makeKey(),
    headers: options.headers ?? (() => ({})),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
    retentionMs: options.retentionMs ?? RETENTION_MS_DEFAULT,
    clockMarginMs: options.clockMarginMs ?? CLOCK_MARGIN_MS_DEFAULT,
  };
  const intention = (name: string, text: string) => new Intention(ports, new Kept(storage, name, text), deadlineMs);

  return {
    async open(name, request) {
      const frozen = freeze(request);
      const key = checked(ports.makeKey());
      const fresh = encodeRecord({ key, request: frozen, state: 'unsent' });
      for (let race = 0; race < RACES_MAX; race += 1) {
        const text = await storage.read(name);
        if (text === undefined) {
          if (await storage.create(name, fresh)) return intention(name, fresh);
        } else {
          const kept = decodeRecord(name, text);
          if (isSameRequest(kept.request, frozen)) return intention(name, text);
          if (kept.state !== 'settled') throw changed(name, kept.state);
          if (await storage.replace(name, text, fresh)) return intention(name, fresh);
        }
      }
      throw new IntentionError(
        'storage-failed',
        `"${name}" could not be written, or changes faster than it can be read.`,
      );
    },
    async find(name) {
      const text = await storage.read(name);
      return text === undefined ? undefined : intention(name, text);
    },
  };
}

function checked(key: string): string {
  if (KEY.test(key)) return key;
  throw new IntentionError(
    'request-invalid',
    `A key has 1 to 255 visible ASCII characters other than comma and quotation mark, and ${JSON.stringify(key)} has not.`,
  );
}

const changed = (name: string, state: 'unsent' | 'sent'): IntentionError =>
  new IntentionError(
    'request-changed',
    state === 'sent'
      ? `Another request was sent under "${name}" and may have happened: find() it and send() it until it is settled.`
      : `Another request is kept under "${name}" and was not sent: find() it and forget() it, or send it.`,
  );
