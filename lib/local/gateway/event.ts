import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { LOCAL_ACCOUNT_ID, LOCAL_API_ID } from '../template/local-values.ts';
import type { Authorized } from './authorize.ts';
import type { RouteMatch } from './router.ts';

export interface GatewayRequest {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  /** Without its question mark; undefined when the target has none. */
  readonly query: string | undefined;
  /** Name and value by turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
}

export interface EventContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  readonly match: RouteMatch;
  readonly authorized: Authorized | undefined;
}

/** Connection-level names, which end at the gateway. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Bodies that HTTP APIs hand on as text; a form is not among them. */
const TEXT_TYPE = /^(text\/.*|application\/(json|javascript|xml|.*\+json|.*\+xml))$/;

/** The event of payload format 2.0. */
export function buildEvent(
  request: GatewayRequest,
  { requestId, receivedAt, match, authorized }: EventContext,
): APIGatewayProxyEventV2 | APIGatewayProxyEventV2WithJWTAuthorizer {
  const { headers, cookies } = readHeaders(request);
  const host = headers['host'] ?? '';
  const query = request.query ? queryParameters(request.query) : undefined;
  return {
    version: '2.0',
    routeKey: match.route.routeKey,
    rawPath: request.path,
    rawQueryString: request.query ?? '',
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(query ? { queryStringParameters: query } : {}),
    requestContext: {
      accountId: LOCAL_ACCOUNT_ID,
      apiId: LOCAL_API_ID,
      ...(authorized ? { authorizer: { principalId: '', integrationLatency: 0, jwt: authorized } } : {}),
      domainName: host,
      domainPrefix: host.split('.')[0] ?? '',
      http: {
        method: request.method,
        path: request.path,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: match.route.routeKey,
      stage: '$default',
      time: commonLogTime(receivedAt),
      timeEpoch: receivedAt.getTime(),
    },
    ...(Object.keys(match.pathParameters).length > 0 ? { pathParameters: match.pathParameters } : {}),
    ...encodeBody(request.body, headers['content-type']),
  };
}

function readHeaders({ rawHeaders, body, sourceIp }: GatewayRequest) {
  // A map, because a header may be called __proto__.
  const headers = new Map<string, string>();
  const cookies: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase();
    const value = String(rawHeaders[at + 1]).trim();
    const earlier = headers.get(name);
    if (HOP_BY_HOP.has(name)) continue;
    if (name === 'cookie') cookies.push(...value.split(/;\s*/).filter(Boolean));
    else headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  const forwardedFor = headers.get('x-forwarded-for');
  headers.set('x-forwarded-for', forwardedFor === undefined ? sourceIp : `${forwardedFor}, ${sourceIp}`);
  headers.set('x-forwarded-port', headers.get('host')?.split(':')[1] ?? '80');
  headers.set('x-forwarded-proto', 'http');
  if (body.length > 0) headers.set('content-length', String(body.length));
  return { headers: Object.fromEntries(headers), cookies };
}

/** Values of one name are joined by commas. */
function queryParameters(query: string): Record<string, string> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]));
}

function encodeBody(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const text = TEXT_TYPE.test(mediaType) ? utf8(body) : undefined;
  return text === undefined
    ? { body: body.toString('base64'), isBase64Encoded: true }
    : { body: text, isBase64Encoded: false };
}

/** Bytes that are no UTF-8 (a compressed body) would be lost as text. */
function utf8(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** `12/Mar/2020:19:03:58 +0000` */
function commonLogTime(at: Date): string {
  const [, day, month, year, time] = at.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
