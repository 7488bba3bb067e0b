import type { Exchange, Ruling } from './engine-proxy.ts';

/** Waits for a request and does something to it, once. */
export interface Ambush {
  matches(exchange: Exchange): boolean;
  spring(exchange: Exchange): Ruling;
}

/** The ambushes that are laid at a time; each request falls into one at most. */
export class Ambushes {
  readonly #laid = new Map<Ambush, (exchange: Exchange | undefined) => void>();

  /** The exchange that fell into it; undefined when none came by in time. */
  lay(ambush: Ambush, waitMs: number): Promise<Exchange | undefined> {
    const { promise, resolve } = Promise.withResolvers<Exchange | undefined>();
    const timer = setTimeout(() => end(undefined), waitMs);
    const end = (exchange: Exchange | undefined): void => {
      clearTimeout(timer);
      this.#laid.delete(ambush);
      resolve(exchange);
    };
    this.#laid.set(ambush, end);
    return promise;
  }

  judge(exchange: Exchange): Ruling {
    for (const [ambush, end] of this.#laid) {
      if (!ambush.matches(exchange)) continue;
      const ruling = ambush.spring(exchange);
      end(exchange);
      return ruling;
    }
    return {};
  }

  clear(): void {
    for (const end of this.#laid.values()) end(undefined);
  }
}
