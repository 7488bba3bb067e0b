import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Events } from './wire.ts';

/** States of a claim that last a tenth of a second can still be seen. */
const POLL_MS = 100;

/** Proxies and browsers drop streams that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

export interface FeedOptions {
  /** Sent to everybody who connects. */
  readonly welcome: () => Pick<Events, 'timing' | 'trips'>;
  /** Read while somebody watches, sent when it changes. A source that is down keeps what it said last. */
  readonly sources: { readonly [Name in 'claims' | 'ledger']: () => Promise<Events[Name]> };
}

/** Server-sent events: what happens, to everybody who watches. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #watchers = new Set<ServerResponse>();
  readonly #last = new Map<'claims' | 'ledger', string>();
  #isPolling = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const { timing, trips } = this.#options.welcome();
    response.write(eventText('timing', JSON.stringify(timing)));
    response.write(eventText('trips', JSON.stringify(trips)));
    for (const [name, json] of this.#last) response.write(eventText(name, json));
    const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS).unref();
    this.#watchers.add(response);
    response.once('close', () => {
      clearInterval(heartbeat);
      this.#watchers.delete(response);
    });
    if (!this.#isPolling) void this.#poll();
  }

  tell<Name extends keyof Events>(name: Name, data: Events[Name]): void {
    this.#broadcast(name, JSON.stringify(data));
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.destroy();
    this.#watchers.clear();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#watchers.size > 0) {
      await Promise.all([this.#refresh('claims'), this.#refresh('ledger')]);
      await sleep(POLL_MS, undefined, { ref: false });
    }
    this.#isPolling = false;
  }

  async #refresh(name: 'claims' | 'ledger'): Promise<void> {
    const json = await this.#options.sources[name]().then(JSON.stringify, () => undefined);
    if (json === undefined || json === this.#last.get(name)) return;
    this.#last.set(name, json);
    this.#broadcast(name, json);
  }

  #broadcast(name: keyof Events, json: string): void {
    for (const watcher of this.#watchers) watcher.write(eventText(name, json));
  }
}

const eventText = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;
