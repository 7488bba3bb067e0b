import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { bodyOf, type Format, instanceOf, type ReadOptions } from './format.ts';
import { isCookie, joined, linesOf, valuesOf } from './header-lines.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type { PrincipalReader } from './principal.ts';
import { readQuery } from './query.ts';
import { toResult as resultOf, type WrittenResult } from './result.ts';
import { pathTarget, routedTarget } from './target.ts';

export { jwtPrincipal, type PrincipalReader } from './principal.ts';

/** Payload format 2.0: HTTP APIs and Lambda function URLs. */
export const V2: Format<APIGatewayProxyEventV2> = {
  name: 'v2',
  hasDescription: false,
  requestId: ({ requestContext }) => requestContext.requestId,
  read: (event, options) => read(event, options),
  writeHeader(lines) {
    const cookies = lines.filter(isCookie).map(([, cookie]) => cookie);
    const headers = joined(lines.filter((line) => !isCookie(line)));
    return { headers, ...(cookies.length > 0 && { cookies }) };
  },
};

function read(event: APIGatewayProxyEventV2, { principal, basePath }: ReadOptions): HttpRequest {
  const { requestContext, rawPath, rawQueryString, routeKey, pathParameters = {} } = event;
  const lines = linesOf({ headers: event.headers });
  const method = requestContext.http.method.toUpperCase();
  // `POST /payments`, or `$default` for what no route matched.
  const [verb, pattern] = routeKey.split(' ') as [string, string?];
  const target =
    pattern === undefined
      ? pathTarget(rawPath, [requestContext.stage, basePath])
      : routedTarget([verb, pattern], method, pathParameters);
  return {
    method,
    path: rawPath,
    ...target,
    query: readQuery(rawQueryString),
    contentType: valuesOf(lines, 'content-type')[0] ?? '',
    body: bodyOf(event),
    header: (name) => valuesOf(lines, name),
    principal: principal(event),
    instance: instanceOf(rawPath, requestContext.requestId),
  };
}

/** Reads a payload-format-2.0 event, once, before any other middleware can change it. */
export const fromEvent = (event: APIGatewayProxyEventV2, principal: PrincipalReader): HttpRequest =>
  read(event, { principal });

/** A response in payload format 2.0: text as text, everything else as base64. */
export const toResult = (response: HttpResponse): WrittenResult & APIGatewayProxyStructuredResultV2 =>
  resultOf(V2, response);
