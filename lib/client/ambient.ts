/** What the client needs from the outside world; injected, so that tests own time, chance and the network. */
export interface Ambient {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A fresh key of 1 to 255 visible ASCII characters that nobody can guess or make again. */
  makeKey(): string;
  fetch(url: string, init: RequestInit): Promise<Response>;
}
