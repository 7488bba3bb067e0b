import http from 'node:http';
import https from 'node:https';
import Stripe from 'stripe';
import { ChiptaError } from '../../idempotency/errors.ts';

/** A request that got no answer. */
export class TransportError extends ChiptaError {
  readonly code = 'provider-transport';
  /** False only where it is certain that not one byte of the request left. */
  readonly sent: boolean;

  constructor(sent: boolean, reason: string) {
    super(reason);
    this.sent = sent;
  }
}

const reasonOf = ({ code }: NodeJS.ErrnoException): string => (code === 'ABORT_ERR' ? 'time-out' : String(code));

class WholeResponse extends Stripe.HttpClientResponse {
  readonly #body: string;

  constructor(status: number, headers: http.IncomingHttpHeaders, body: string) {
    // Stripe declares header values as possibly numbers or lists; Node's are strings, lists or absent.
    super(status, headers as ConstructorParameters<typeof Stripe.HttpClientResponse>[1]);
    this.#body = body;
  }

  override getRawResponse(): object {
    return { headers: this.getHeaders() };
  }

  /** Lets only those answers pass that Stripe gives: an object on success, an object with `error` on failure. */
  override async toJSON(): Promise<object> {
    const answer: unknown = JSON.parse(this.#body);
    const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
    const isSuccess = this.getStatusCode() >= 200 && this.getStatusCode() < 300;
    const isFailure = isObject && 'error' in answer && typeof answer.error === 'object' && answer.error !== null;
    if (!isObject || !(isSuccess || isFailure)) throw new TypeError('not an answer of Stripe');
    return answer;
  }
}

const textOf = async (response: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const exchange = (
  url: { host: string; port: string; path: string; protocol: string },
  method: string,
  headers: http.OutgoingHttpHeaders,
  body: string,
  timeoutMs: number,
): Promise<WholeResponse> =>
  new Promise((resolve, reject) => {
    let sent = false;
    const lost = (error: Error): void => reject(new TransportError(sent, reasonOf(error)));
    try {
      const secure = url.protocol !== 'http';
      const { host, port, path } = url;
      const signal = AbortSignal.timeout(timeoutMs);
      const request = (secure ? https : http).request({ host, port, path, method, headers, agent: false, signal });
      request.once('socket', (socket) => {
        sent = !socket.connecting;
        socket.once(secure ? 'secureConnect' : 'connect', () => {
          sent = true;
        });
      });
      request.once('response', (response) => {
        const whole = textOf(response);
        whole.then((text) => resolve(new WholeResponse(response.statusCode as number, response.headers, text)), lost);
      });
      request.on('error', lost);
      request.end(body);
    } catch (error) {
      lost(error as Error); // Node throws what cannot be sent at all, for example a secret that fits into no header.
    }
  });

/**
 * The HTTP client below the official one, for three things that its own does not do.
 *
 * - It never sends a request twice. Stripe's repeats one whose connection was closed, even with retries off, and then
 *   reports the second failure: "refused" for a payment whose first try may have been executed.
 * - The time-out covers everything from the name look-up to the last byte. Stripe's starts anew with each byte and does
 *   not cover connecting.
 * - It knows whether anything was sent: each request opens a connection of its own, so that the event of being connected
 *   tells. A frozen environment also wakes up with dead connections, whose reset looks like a lost answer.
 */
export const createTransport = (): Stripe.HttpClient => ({
  getClientName: () => 'chipta',
  makeRequest: (host, port, path, method, headers, body, protocol, timeoutMs) =>
    exchange({ host, port, path, protocol }, method, headers as http.OutgoingHttpHeaders, body, timeoutMs),
});
