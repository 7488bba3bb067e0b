import type { ServerResponse } from 'node:http';

export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | string;
}

export function jsonReply(status: number, body: object | string | null): HttpReply {
  return { status, headers: [['content-type', 'application/json']], body: JSON.stringify(body) };
}

/** An answer of API Gateway itself: `{"message":"Not Found"}`. */
export function gatewayReply(status: number, message: string, headers: HttpReply['headers'] = []): HttpReply {
  const reply = jsonReply(status, { message });
  return { ...reply, headers: [...reply.headers, ...headers] };
}

export function withHeaders(reply: HttpReply, headers: HttpReply['headers']): HttpReply {
  return { ...reply, headers: [...reply.headers, ...headers] };
}

export function send(response: ServerResponse, { status, headers, body }: HttpReply): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const empty = status === 204 || status === 304;
  const length = empty ? [] : ['content-length', String(bytes.length)];
  // Flat pairs keep headers that occur twice, such as set-cookie.
  response.writeHead(status, [...headers.flat(), ...length]);
  response.end(empty ? undefined : bytes);
}
