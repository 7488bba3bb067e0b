import type { IncomingMessage } from 'node:http';

/** The whole body, or undefined as soon as it is larger than allowed. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Read on to the end: a sender that is cut off sees a reset in place of the answer.
    if (bytes <= bytesMax) chunks.push(chunk);
    if (bytes > bytesMax * DRAIN_FACTOR) return undefined;
  }
  return bytes > bytesMax ? undefined : Buffer.concat(chunks);
}

/** How far beyond the limit a body is still read, so that the sender gets to read the refusal. */
const DRAIN_FACTOR = 3;
