import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

export interface EventParts {
  readonly method?: string;
  readonly path?: string;
  readonly routeKey?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly stage?: string;
  /** `null` for an event without an authorizer. */
  readonly claims?: Readonly<Record<string, unknown>> | null;
}

/** An event as an HTTP API makes it (payload format 2.0): a JSON POST by alice unless told otherwise. */
export function apiEvent(parts: EventParts = {}): APIGatewayProxyEventV2 {
  const { method = 'POST', path = '/payments', stage = '$default', query = '', body, key } = parts;
  const claims = parts.claims === undefined ? { sub: 'alice' } : parts.claims;
  const event = {
    version: '2.0',
    routeKey: parts.routeKey ?? `${method} ${path}`,
    rawPath: path,
    rawQueryString: query,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...parts.headers,
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: parts.routeKey ?? `${method} ${path}`,
      stage,
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1_767_225_600_000,
      ...(claims !== null && { authorizer: { jwt: { claims, scopes: [] } } }),
    },
    ...(parts.parameters && { pathParameters: { ...parts.parameters } }),
    ...(body !== undefined && {
      body: typeof body === 'string' ? body : Buffer.from(body).toString('base64'),
    }),
    isBase64Encoded: body instanceof Uint8Array,
  };
  return event;
}

/** What the Lambda runtime passes; only the members that anybody reads. */
export const lambdaContext = (remainingMs: () => number = () => 10_000): Context =>
  ({ getRemainingTimeInMillis: remainingMs, awsRequestId: 'request-1' }) as Context;

/** A handler as the Lambda runtime sees it. */
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON, where it is some. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Invokes a handler and reads its structured result. */
export async function invoke(handler: Handler, parts: EventParts, context = lambdaContext()): Promise<Reply> {
  return replyOf((await handler(apiEvent(parts), context)) as APIGatewayProxyStructuredResultV2);
}

export function replyOf(result: APIGatewayProxyStructuredResultV2): Reply {
  const { statusCode = 0, headers = {}, body = '' } = result;
  return { status: statusCode, headers: headers as Record<string, string>, body, json: jsonOf(body) };
}

function jsonOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
