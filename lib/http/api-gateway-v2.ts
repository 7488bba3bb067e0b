import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { REPLAYED_HEADER } from '../idempotency/replay.ts';
import type { Principal } from '../idempotency/scope.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { asText } from './text.ts';

/** What `fromEvent` reads the principal with; `undefined` when the authorizer verified none. */
export type PrincipalReader = (event: APIGatewayProxyEventV2) => Principal | undefined;

interface JwtAuthorizer {
  readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Reads the principal from the claims that API Gateway's JWT authorizer has verified: `sub`, and the tenant's claim
 * where one is configured. A configured claim that is missing is no principal: a tenantless scope would be a shared one.
 */
export const jwtPrincipal =
  (tenantClaim?: string): PrincipalReader =>
  (event) => {
    const { authorizer } = event.requestContext as { readonly authorizer?: JwtAuthorizer };
    const claims = authorizer?.jwt?.claims;
    const subject = claims?.['sub'];
    if (!isName(subject)) return undefined;
    if (tenantClaim === undefined) return { subject };
    const tenant = claims?.[tenantClaim];
    return isName(tenant) ? { tenant, subject } : undefined;
  };

/** Reads a payload-format-2.0 event, once, before any other middleware can change it. */
export function fromEvent(event: APIGatewayProxyEventV2, principalOf: PrincipalReader): HttpRequest {
  const { requestContext, rawPath, rawQueryString, routeKey } = event;
  const header = (name: string): readonly string[] =>
    Object.entries(event.headers)
      .filter(([sent, value]) => sent.toLowerCase() === name && value !== undefined)
      .map(([, value]) => value as string);
  return {
    method: requestContext.http.method.toUpperCase(),
    path: rawPath,
    route: routeKey === '$default' ? pathBelowStage(rawPath, requestContext.stage) : routeKey,
    parameters: definedOnly(event.pathParameters ?? {}),
    query: readQuery(rawQueryString),
    contentType: header('content-type')[0] ?? '',
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    header,
    principal: principalOf(event),
    instance: `${encodeURI(rawPath)}#${encodeURIComponent(requestContext.requestId)}`,
  };
}

const definedOnly = (record: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined));

const REPLACEMENT_CHARACTER = '\ufffd';

/** Names and values decoded; where bytes that are no UTF-8 would all decode to one character, the text as it was sent. */
function readQuery(rawQueryString: string): readonly (readonly [name: string, value: string])[] {
  const pairs = [...new URLSearchParams(rawQueryString)];
  const isLossy = pairs.flat().some((text) => text.includes(REPLACEMENT_CHARACTER));
  return isLossy ? [[REPLACEMENT_CHARACTER, rawQueryString]] : pairs;
}

/** Without a route of its own the path is the identity; the stage and a trailing slash are no part of it. */
function pathBelowStage(rawPath: string, stage: string): string {
  const path = rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A response in payload format 2.0: text as text, everything else as base64. */
export function toResult({ status, headers, body }: HttpResponse): APIGatewayProxyStructuredResultV2 {
  const text = asText(body);
  const encoded = text === undefined ? Buffer.from(body).toString('base64') : text;
  return { statusCode: status, headers: { ...headers }, body: encoded, isBase64Encoded: text === undefined };
}

const isStructured = (result: unknown): result is APIGatewayProxyStructuredResultV2 & { statusCode: number } =>
  typeof result === 'object' && result !== null && typeof (result as { statusCode?: unknown }).statusCode === 'number';

/**
 * A handler's result as a response. Payload format 2.0 lets a handler return anything but a structured result as
 * shorthand for a JSON body with status 200, a string as it is; `undefined` is such an answer too, an empty one.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function fromResult(result: unknown): HttpResponse {
  if (!isStructured(result)) {
    const text = result === undefined ? '' : typeof result === 'string' ? result : JSON.stringify(result);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  }
  const headers = Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  return { status: result.statusCode, headers: Object.fromEntries(headers), body };
}

/**
 * A handler's result as it leaves the first time: spelled out where it was shorthand, so that a replay has its very
 * bytes whatever the gateway makes of shorthand, and without the mark of replays, which is not the handler's to set.
 */
export function toFirstResult(result: unknown): APIGatewayProxyStructuredResultV2 {
  if (!isStructured(result)) return toResult(fromResult(result));
  const headers = Object.entries(result.headers ?? {}).filter(([name]) => name.toLowerCase() !== REPLAYED_HEADER);
  return { ...result, headers: Object.fromEntries(headers) };
}
