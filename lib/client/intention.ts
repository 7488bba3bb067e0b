import { toResponse } from './answer.ts';
import type { Kept } from './kept.ts';
import type { IntentionRecord } from './record.ts';
import { type Ending, type SendPorts, sendUntilFinal, type UnknownReason } from './send.ts';

export interface SendOptions {
  /** Ends attempts and waiting. What was sent may happen all the same. */
  readonly signal?: AbortSignal;
  /** For everything together: attempts and the waits between them. @default the client's */
  readonly deadlineMs?: number;
}

export interface AnsweredIntention {
  readonly kind: 'answered';
  /** A fresh object for each caller, read in full before. */
  readonly response: Response;
}

/** It may have happened: never show it as failed. */
export interface UnknownIntention {
  readonly kind: 'unknown';
  readonly key: string;
  readonly reason: UnknownReason;
  /** The last answer, where there was one. */
  readonly response?: Response;
  /** What the last attempt ended with where it had no answer; for logs. */
  readonly cause?: unknown;
  /** Asks again, with the same key and the same bytes. */
  resume(options?: SendOptions): Promise<IntentionResult>;
}

export type IntentionResult = AnsweredIntention | UnknownIntention;

/** One thing that a customer wants done once: one key and one request, however often it is sent. */
export class Intention {
  readonly #ports: SendPorts;
  readonly #kept: Kept;
  readonly #deadlineMs: number;
  #running: Promise<Ending> | undefined;

  constructor(ports: SendPorts, kept: Kept, deadlineMs: number) {
    this.#ports = ports;
    this.#kept = kept;
    this.#deadlineMs = deadlineMs;
  }

  get name(): string {
    return this.#kept.name;
  }

  get key(): string {
    return this.#kept.record.key;
  }

  /** `unsent`: nothing has left under this key. `sent`: it may have happened. `settled`: the answer is kept. */
  get state(): IntentionRecord['state'] {
    return this.#kept.record.state;
  }

  /**
   * Sends until an answer is final. A settled intention gives its answer without the network. Calls that overlap, as a
   * double tap makes them, are one call with the first one's options.
   *
   * @throws {IntentionError} only while nothing was sent (`storage-failed`, `record-unreadable`), or after somebody let
   * the name go (`intention-forgotten`)
   */
  async send(options: SendOptions = {}): Promise<IntentionResult> {
    this.#running ??= this.#run(options);
    const ending = await this.#running;
    if (ending.kind === 'answered') return { kind: 'answered', response: toResponse(ending.answer) };
    const { reason, answer, cause } = ending;
    return {
      kind: 'unknown',
      key: this.key,
      reason,
      ...(answer !== undefined && { response: toResponse(answer) }),
      ...(cause !== undefined && { cause }),
      resume: (again) => this.send(again),
    };
  }

  /**
   * Lets the name go, so that it can be opened under a new key: after the customer has seen the answer, or when they
   * changed their mind before anything was sent.
   *
   * @param options.despiteUnknown also lets go what may have happened, for when you found out elsewhere what became of it
   * @throws {IntentionError} `outcome-unknown`, when it may have happened; `storage-failed`
   */
  async forget({ despiteUnknown = false }: { readonly despiteUnknown?: boolean } = {}): Promise<void> {
    await this.#kept.forget(despiteUnknown);
  }

  async #run({ signal = new AbortController().signal, deadlineMs = this.#deadlineMs }: SendOptions): Promise<Ending> {
    try {
      return await sendUntilFinal(this.#ports, this.#kept, { signal, deadlineMs });
    } finally {
      this.#running = undefined;
    }
  }
}
