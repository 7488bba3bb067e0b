import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bodyOf, type Format, instanceOf } from './format.ts';
import { grouped, linesOf, valuesOf } from './header-lines.ts';
import { pairsOf } from './query.ts';
import { pathTarget, routedTarget } from './target.ts';

/** Where an HTTP API sends events of format 1.0 for requests that no route of its own matched. */
const NO_ROUTE = '$default';

/** Payload format 1.0: REST APIs, and HTTP APIs that ask for it. */
export const V1: Format<APIGatewayProxyEvent> = {
  name: 'v1',
  hasDescription: false,
  requestId: ({ requestContext }) => requestContext.requestId,
  read(event, { principal, basePath }) {
    const { resource, path, requestContext, pathParameters } = event;
    const lines = linesOf(event);
    const method = event.httpMethod.toUpperCase();
    return {
      method,
      path,
      ...(resource === NO_ROUTE
        ? pathTarget(path, [requestContext.stage, basePath])
        : routedTarget([method, resource], method, pathParameters ?? {})),
      // The gateway has decoded it.
      query: pairsOf(event),
      contentType: valuesOf(lines, 'content-type')[0] ?? '',
      body: bodyOf(event),
      header: (name) => valuesOf(lines, name),
      principal: principal(event),
      instance: instanceOf(path, requestContext.requestId),
    };
  },
  writeHeader(lines) {
    const [single, many]: [[string, string][], [string, string[]][]] = [[], []];
    for (const [name, values] of grouped(lines)) {
      const [value, ...others] = values as [string, ...string[]];
      if (others.length === 0) single.push([name, value]);
      else many.push([name, values]);
    }
    return {
      headers: Object.fromEntries(single),
      ...(many.length > 0 && { multiValueHeaders: Object.fromEntries(many) }),
    };
  },
};
