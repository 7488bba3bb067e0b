import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { MisuseError } from '../idempotency/errors.ts';
import { V1 } from './api-gateway-v1.ts';
import { V2 } from './api-gateway-v2.ts';
import type { Format, ReadOptions } from './format.ts';
import { linesOf, valuesOf } from './header-lines.ts';
import { ALB, ALB_MULTI } from './load-balancer.ts';
import type { FreshHeaders, HttpRequest, HttpResponse } from './message.ts';
import { type HttpResult, ownResult, toResult, type WrittenResult } from './result.ts';

/** An event of any front door that this library knows; function URLs send those of HTTP APIs. */
export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2 | ALBEvent;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Which format an event has, by the members that only this one has; `undefined` for an event that is no request. */
function formatOf(event: unknown): Format<HttpEvent> | undefined {
  const format =
    isObject(event) && isObject(event['requestContext']) ? matching(event, event['requestContext']) : undefined;
  // What was recognised is read with its own type.
  return format as Format<HttpEvent> | undefined;
}

function matching(event: Readonly<Record<string, unknown>>, context: Readonly<Record<string, unknown>>) {
  if (isObject(context['elb'])) return isObject(event['multiValueHeaders']) ? ALB_MULTI : ALB;
  if (isObject(context['http'])) return V2;
  return typeof event['httpMethod'] === 'string' && typeof event['resource'] === 'string' ? V1 : undefined;
}

const NAMES_MAX = 12;

function describe(event: unknown): string {
  if (!isObject(event)) return `${event === null ? 'null' : typeof event}, which is no event at all`;
  const [record] = Array.isArray(event['Records']) ? event['Records'] : [];
  if (isObject(record)) return `records of ${String(record['eventSource'] ?? record['EventSource'])}`;
  if (isObject(event['requestContext']) && 'connectionId' in event['requestContext'])
    return 'an event of a WebSocket API';
  const names = Object.keys(event);
  const version = 'version' in event ? ` and the version ${JSON.stringify(event['version'])}` : '';
  return `an event with the members ${names.slice(0, NAMES_MAX).join(', ') || '(none)'}${version}`;
}

const unknownEvent = (event: unknown): MisuseError =>
  new MisuseError(
    'idempotency() answers requests from API Gateway REST APIs and HTTP APIs (payload formats 1.0 and 2.0), Lambda ' +
      `function URLs and Application Load Balancers. This function received ${describe(event)}. Put the middleware on ` +
      'a function behind one of these; records of a queue are for a middleware of their own.',
  );

/** One request, and how it is answered in the format that it came in. */
export interface Exchange {
  readonly format: Format<HttpEvent>['name'];
  readonly request: HttpRequest;
  /** A neutral response, stored or made up. */
  toResult(response: HttpResponse, fresh?: FreshHeaders): WrittenResult;
  /** What the handler itself returned. */
  ownResult(result: unknown, fresh?: FreshHeaders): HttpResult;
}

/**
 * Reads an event, once, before any other middleware can change it.
 *
 * @throws MisuseError for an event that is no HTTP request.
 */
export function exchangeOf(event: unknown, options: ReadOptions): Exchange {
  const format = formatOf(event);
  if (format === undefined) throw unknownEvent(event);
  return {
    format: format.name,
    request: format.read(event as HttpEvent, options),
    toResult: (response, fresh) => toResult(format, response, fresh),
    ownResult: (result, fresh) => ownResult(format, result, fresh),
  };
}

/** How to answer a request that may not be readable any more; `undefined` where the event was none. */
export function doorOf(event: unknown) {
  const format = formatOf(event);
  if (format === undefined) return undefined;
  const request = event as HttpEvent;
  return {
    requestId: format.requestId(request),
    header: (name: string) => valuesOf(linesOf(request), name),
    toResult: (response: HttpResponse, fresh?: FreshHeaders) => toResult(format, response, fresh),
  };
}
