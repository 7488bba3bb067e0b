import { randomUUID } from 'node:crypto';
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import type { HttpEvent } from '../../lib/http/exchange.ts';
import type { HttpResult } from '../../lib/http/result.ts';
import { buildEvent } from '../../lib/local/gateway/event.ts';
import { functionReply } from '../../lib/local/gateway/function-reply.ts';
import type { HttpReply } from '../../lib/local/gateway/http-reply.ts';

/** A request as a front door receives it. */
export interface Received {
  readonly method: string;
  /** Percent-encoded, as it was sent. */
  readonly path: string;
  readonly query: string | undefined;
  /** Name and value by turns, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** What stands before a function: it makes events of requests, and replies of results. */
export interface FrontDoor {
  event(received: Received): HttpEvent;
  reply(result: HttpResult): HttpReply;
}

type Lines = readonly (readonly [name: string, value: string])[];

const linesOf = ({ rawHeaders }: Received): Lines =>
  Array.from({ length: rawHeaders.length / 2 }, (_, n) => [
    String(rawHeaders[2 * n]),
    String(rawHeaders[2 * n + 1]).trim(),
  ]);

function gather(pairs: Lines): Record<string, string[]> {
  const gathered = new Map<string, string[]>();
  for (const [name, value] of pairs) gathered.set(name, [...(gathered.get(name) ?? []), value]);
  return Object.fromEntries(gathered);
}

const single = (gathered: Record<string, string[]>, join: (values: string[]) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(gathered).map(([name, values]) => [name, join(values)]));

const last = (values: string[]): string => String(values.at(-1));

/** Text as text where its bytes are some, everything else as base64. */
function bodyOf(body: Buffer): { body: string | null; isBase64Encoded: boolean } {
  if (body.length === 0) return { body: null, isBase64Encoded: false };
  const text = body.toString();
  const isText = Buffer.from(text).equals(body);
  return { body: isText ? text : body.toString('base64'), isBase64Encoded: !isText };
}

const bytesOf = ({ body = '', isBase64Encoded = false }: HttpResult): Buffer =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

const repliedLines = ({ headers = {}, multiValueHeaders = {} }: HttpResult): [string, string][] => [
  ...Object.entries(headers)
    .filter(([name]) => !Object.hasOwn(multiValueHeaders, name))
    .map(([name, value]): [string, string] => [name, String(value)]),
  ...Object.entries(multiValueHeaders).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, String(value)]),
  ),
];

function v2Event(received: Received, host: Partial<APIGatewayProxyEventV2['requestContext']>): APIGatewayProxyEventV2 {
  const request = { ...received, sourceIp: '127.0.0.1', protocol: 'HTTP/1.1' };
  const match = { route: { routeKey: '$default' }, pathParameters: {} };
  const context = { requestId: randomUUID(), receivedAt: new Date(), match, authorized: undefined };
  // The router's match carries more than the event shows.
  const event = buildEvent(request, context as unknown as Parameters<typeof buildEvent>[1]);
  return { ...event, requestContext: { ...event.requestContext, ...host } };
}

const v2Reply = (result: HttpResult): HttpReply => functionReply({ kind: 'returned', payload: JSON.stringify(result) });

/** An HTTP API decodes the path before it hands it on; a function URL does not. */
const v2: FrontDoor = {
  event: (received) => v2Event({ ...received, path: decodeURIComponent(received.path) }, {}),
  reply: v2Reply,
};

const url: FrontDoor = {
  event: (received) => v2Event(received, { domainName: 'id.lambda-url.eu-central-1.on.aws', apiId: 'id' }),
  reply: v2Reply,
};

const v1: FrontDoor = {
  event(received) {
    const { method, path, query = '', body } = received;
    const headers = gather(linesOf(received));
    const parameters = gather([...new URLSearchParams(query)]);
    const hasQuery = Object.keys(parameters).length > 0;
    const event = {
      resource: path === '/' ? '/' : '/{proxy+}',
      path,
      httpMethod: method,
      headers: single(headers, last),
      multiValueHeaders: headers,
      queryStringParameters: hasQuery ? single(parameters, last) : null,
      multiValueQueryStringParameters: hasQuery ? parameters : null,
      pathParameters: path === '/' ? null : { proxy: path.slice(1) },
      stageVariables: null,
      requestContext: {
        accountId: '123456789012',
        apiId: 'rest',
        httpMethod: method,
        identity: { sourceIp: '127.0.0.1', userArn: null, cognitoIdentityId: null, caller: null },
        path: `/prod${path}`,
        protocol: 'HTTP/1.1',
        requestId: randomUUID(),
        requestTimeEpoch: 1_767_225_600_000,
        resourceId: 'any',
        resourcePath: '/{proxy+}',
        stage: 'prod',
      },
      ...bodyOf(body),
    };
    // Only the members that anybody reads.
    return event as unknown as APIGatewayProxyEvent;
  },
  reply: (result) => ({
    status: Number(result.statusCode),
    headers: repliedLines(result),
    body: bytesOf(result),
  }),
};

/**
 * A load balancer. Without multi-value headers a real one keeps the last of several lines with one name; here they are
 * joined, so that a request with two keys can be told from one with one.
 */
const loadBalancer = (isMultiValue: boolean): FrontDoor => ({
  event(received) {
    const { method, path, query = '', body } = received;
    const lines = linesOf(received).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    const headers = gather([...lines, ['x-amzn-trace-id', `Root=1-${randomUUID()}`]]);
    // It takes the query apart and decodes nothing of it.
    const pairs = query
      .split('&')
      .filter(Boolean)
      .map((pair): [string, string] => {
        const [name = '', ...value] = pair.split('=');
        return [name, value.join('=')];
      });
    const parameters = gather(pairs);
    const { body: text, isBase64Encoded } = bodyOf(body);
    const event: ALBEvent = {
      requestContext: {
        elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/t/1' },
      },
      httpMethod: method,
      path,
      ...(isMultiValue
        ? { multiValueQueryStringParameters: parameters, multiValueHeaders: headers }
        : { queryStringParameters: single(parameters, last), headers: single(headers, (values) => values.join(',')) }),
      body: text ?? '',
      isBase64Encoded,
    };
    return event;
  },
  reply(result) {
    const { statusCode, headers, multiValueHeaders } = result;
    return {
      status: Number(statusCode),
      headers: repliedLines(isMultiValue ? { multiValueHeaders } : { headers }),
      body: bytesOf(result),
    };
  },
});

export const FRONT_DOORS = { v1, v2, url, alb: loadBalancer(false), 'alb-multi': loadBalancer(true) } as const;
export type FrontDoorName = keyof typeof FRONT_DOORS;

export const isFrontDoor = (name: string): name is FrontDoorName => Object.hasOwn(FRONT_DOORS, name);
