import type { Answer } from './answer.ts';
import { IntentionError } from './errors.ts';
import { decodeRecord, encodeRecord, type IntentionRecord } from './record.ts';
import type { IntentionStorage } from './storage.ts';

/** Each lost race means that another tab won one, and a name has few of them. */
export const RACES_MAX = 10;

/** An intention as it is in the storage, and as far as this object knows it. */
export class Kept {
  readonly name: string;
  readonly #storage: IntentionStorage;
  #record: IntentionRecord;
  #text: string;
  #isForgotten = false;
  /** An attempt, of this object or an earlier one, may have happened. */
  isInDoubt: boolean;

  constructor(storage: IntentionStorage, name: string, text: string) {
    this.#storage = storage;
    this.name = name;
    this.#text = text;
    this.#record = decodeRecord(name, text);
    this.isInDoubt = this.#record.state === 'sent';
  }

  get record(): IntentionRecord {
    return this.#record;
  }

  /** Must come before the first attempt: a crash in between then reads as "may have happened", which is safe. */
  async markSent(now: number): Promise<void> {
    for (let race = 0; race < RACES_MAX; race += 1) {
      if (this.#isForgotten) throw this.#forgotten();
      if (this.#record.state !== 'unsent') return;
      if (await this.#replace({ ...this.#record, state: 'sent', sentAt: now })) return;
      await this.#refresh();
      this.isInDoubt = this.record.state === 'sent'; // By another tab.
    }
    throw this.#unstable();
  }

  /** The answer counts even where it cannot be kept: whoever asks again under the same key gets it again. */
  async settle(answer: Answer): Promise<void> {
    const { key, request } = this.#record;
    const settled: IntentionRecord = { key, request, state: 'settled', answer };
    await this.#replace(settled).catch(() => false);
    this.#record = settled;
  }

  async forget(despiteUnknown: boolean): Promise<void> {
    for (let race = 0; race < RACES_MAX; race += 1) {
      await this.#refresh();
      if (this.#isForgotten) return;
      if (this.#record.state === 'sent' && !despiteUnknown)
        throw new IntentionError(
          'outcome-unknown',
          `"${this.name}" was sent and may have happened: send it again until it is settled.`,
        );
      this.#isForgotten = await this.#storage.remove(this.name, this.#text);
      if (this.#isForgotten) return;
    }
    throw this.#unstable();
  }

  async #replace(next: IntentionRecord): Promise<boolean> {
    const text = encodeRecord(next);
    const isReplaced = await this.#storage.replace(this.name, this.#text, text);
    if (isReplaced) {
      this.#text = text;
      this.#record = next;
    }
    return isReplaced;
  }

  /** Learns what other tabs made of it; an answer that is known here stays known. */
  async #refresh(): Promise<void> {
    const text = await this.#storage.read(this.name);
    const record = text === undefined ? undefined : decodeRecord(this.name, text);
    if (text === undefined || record?.key !== this.#record.key) {
      this.#isForgotten = true;
      return;
    }
    this.#text = text;
    if (this.#record.state !== 'settled') this.#record = record;
  }

  #forgotten(): IntentionError {
    return new IntentionError('intention-forgotten', `"${this.name}" was forgotten: open it again, under a new key.`);
  }

  #unstable(): IntentionError {
    return new IntentionError('storage-failed', `"${this.name}" changes faster than it can be written.`);
  }
}
