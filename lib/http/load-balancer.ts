import type { ALBEvent } from 'aws-lambda';
import { bodyOf, type Format, instanceOf } from './format.ts';
import { grouped, isCookie, joined, linesOf, valuesOf } from './header-lines.ts';
import { pairsOf, readQuery } from './query.ts';
import { pathTarget } from './target.ts';

/** A load balancer numbers no requests; it traces them. */
const requestId = (event: ALBEvent): string => valuesOf(linesOf(event), 'x-amzn-trace-id')[0] ?? '';

/** As it was sent: a load balancer decodes nothing, so the pairs put together again are what it took apart. */
const sentQuery = (event: ALBEvent): string =>
  pairsOf(event)
    .map((pair) => pair.join('='))
    .join('&');

/** An Application Load Balancer whose target group has no multi-value headers. */
export const ALB: Format<ALBEvent> = {
  name: 'alb',
  hasDescription: true,
  requestId,
  read(event, { principal, basePath }) {
    const lines = linesOf(event);
    return {
      method: event.httpMethod.toUpperCase(),
      path: event.path,
      ...pathTarget(event.path, [basePath]),
      query: readQuery(sentQuery(event)),
      contentType: valuesOf(lines, 'content-type')[0] ?? '',
      body: bodyOf(event),
      header: (name) => valuesOf(lines, name),
      principal: principal(event),
      instance: instanceOf(event.path, requestId(event)),
    };
  },
  writeHeader(lines) {
    // This door takes one cookie; the last one is what a browser would have kept of several with one name.
    const cookie = lines.findLast(isCookie);
    return { headers: joined([...lines.filter((line) => !isCookie(line)), ...(cookie === undefined ? [] : [cookie])]) };
  },
};

/** One whose target group has them: it reads no other header of a result. */
export const ALB_MULTI: Format<ALBEvent> = {
  ...ALB,
  name: 'alb-multi',
  writeHeader: (lines) => ({ multiValueHeaders: Object.fromEntries(grouped(lines)) }),
};
