import type { Ambient } from './ambient.ts';

const UUID_BYTES = 16;

/** RFC 9562, section 5.4. `crypto.randomUUID` is missing in pages that came over plain HTTP; this is not. */
function uuidV4(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES));
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return ((byte & 0x0f) | 0x40).toString(16).padStart(2, '0');
    if (index === 8) return ((byte & 0x3f) | 0x80).toString(16).padStart(2, '0');
    return byte.toString(16).padStart(2, '0');
  }).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

/** The real clock, dice and network, as browsers and Node alike have them. */
export const systemAmbient: Ambient = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep,
  makeKey: uuidV4,
  fetch: (url, init) => globalThis.fetch(url, init),
};
