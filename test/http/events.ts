import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { apiEvent, type EventParts } from '../support/events.ts';

type Lists = Readonly<Record<string, readonly string[]>>;
type Singles = Readonly<Record<string, string>>;

export interface RestParts {
  readonly method?: string;
  readonly resource?: string;
  readonly path?: string;
  readonly parameters?: Singles | null;
  readonly query?: Lists | null;
  readonly headers?: Lists;
  readonly body?: string | Uint8Array | null;
  readonly stage?: string;
  readonly authorizer?: Readonly<Record<string, unknown>> | null;
  readonly identity?: Readonly<Record<string, unknown>>;
}

const bodyOf = (body: string | Uint8Array | null | undefined) => ({
  body: body instanceof Uint8Array ? Buffer.from(body).toString('base64') : (body ?? null),
  isBase64Encoded: body instanceof Uint8Array,
});

const lastOf = (lists: Lists): Singles =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, String(values.at(-1))]));

/** An event as a REST API makes it (payload format 1.0): a JSON POST by alice unless told otherwise. */
export function restEvent(parts: RestParts = {}): APIGatewayProxyEvent {
  const { method = 'POST', path = '/payments', resource = path, stage = 'prod', query = null } = parts;
  const headers = { 'Content-Type': ['application/json'], ...parts.headers };
  const { authorizer = { claims: { sub: 'alice' } }, identity = {}, parameters = null } = parts;
  const event = {
    resource,
    path,
    httpMethod: method,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: query && lastOf(query),
    multiValueQueryStringParameters: query,
    pathParameters: parameters,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'rest',
      authorizer,
      httpMethod: method,
      identity: { sourceIp: '192.0.2.1', userArn: null, caller: null, cognitoIdentityId: null, ...identity },
      path: `/${stage}${path}`,
      protocol: 'HTTP/1.1',
      requestId: 'request-1',
      requestTimeEpoch: 1_767_225_600_000,
      resourceId: 'abc',
      resourcePath: resource,
      stage,
    },
    ...bodyOf(parts.body),
  };
  return event as unknown as APIGatewayProxyEvent; // Only the members that a gateway fills in for such a request.
}

export interface BalancerParts {
  readonly method?: string;
  readonly path?: string;
  /** Still percent-encoded. */
  readonly query?: Lists;
  readonly headers?: Lists;
  readonly body?: string | Uint8Array | null;
  readonly isMultiValue?: boolean;
}

/** An event as a load balancer makes it; nobody has verified who asks. */
export function balancerEvent(parts: BalancerParts = {}): ALBEvent {
  const { method = 'POST', path = '/payments', query = {}, isMultiValue = false } = parts;
  const headers = { 'content-type': ['application/json'], 'x-amzn-trace-id': ['Root=1-2'], ...parts.headers };
  const event = {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/t/1' } },
    httpMethod: method,
    path,
    ...(isMultiValue
      ? { multiValueHeaders: headers, multiValueQueryStringParameters: query }
      : { headers: lastOf(headers), queryStringParameters: lastOf(query) }),
    ...bodyOf(parts.body),
  };
  return event as unknown as ALBEvent; // A balancer sends an empty text where there is no body; `null` must do as well.
}

/** An event as a function URL makes it: format 2.0, but nothing is routed or decoded. */
export const urlEvent = (parts: EventParts = {}): APIGatewayProxyEventV2 => {
  const event = apiEvent({ ...parts, routeKey: '$default' });
  return { ...event, requestContext: { ...event.requestContext, domainName: 'id.lambda-url.eu-central-1.on.aws' } };
};
