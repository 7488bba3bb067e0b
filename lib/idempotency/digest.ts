import { createHash } from 'node:crypto';

/**
 * SHA-256 over a tuple, base64url. Each part is preceded by its length in bytes, so that no part can be shifted into
 * its neighbour: ("a", "bc") and ("ab", "c") are different tuples.
 */
export function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength}:`);
    hash.update(part);
  }
  return hash.digest('base64url');
}
