import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  type HttpRoute,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';

/** Who signs the callers' tokens, and for whom they must be meant. */
export interface JwtIssuer {
  /** HTTPS URL whose `/.well-known/openid-configuration` names the keys. */
  readonly issuer: string;
  /** A token must name at least one of these. */
  readonly audience: readonly string[];
}

export interface ServiceApiProps {
  readonly jwt: JwtIssuer;

  /**
   * Origins whose pages may call the API; `*` is every origin.
   *
   * @default - no CORS: browsers refuse to let another origin's page read an answer
   */
  readonly corsOrigins?: readonly string[];

  /**
   * Whether the access logs may be deleted with the stack.
   *
   * @default false
   */
  readonly disposable?: boolean;
}

/**
 * The shortest integration limit of API Gateway (REST; an HTTP API waits 30 s and cannot be made to wait longer).
 * After it the gateway gives up (HTTP APIs with 503, REST APIs with 504) while the function goes on.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
export const GATEWAY_TIMEOUT = Duration.seconds(29);

/**
 * A payment holds an execution environment for about a second and an account begins with 1,000 of them, so more
 * requests than that would only be throttled later and dearer. It is also a quarter of what the due index carries.
 */
const THROTTLE = { rateLimit: 1000, burstLimit: 500 };

/** Browsers ask again after it; the policy changes with a deployment only. */
const PREFLIGHT_MAX_AGE = Duration.hours(1);

const ALLOW_HEADERS = ['Idempotency-Key', 'Content-Type', 'Authorization'];
const EXPOSE_HEADERS = ['Location', 'Retry-After', 'Idempotency-Replayed', 'Link'];

/** The route's pattern stands for the path, because paths may hold idempotency keys, which are secrets of the callers. */
const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    ip: '$context.identity.sourceIp',
    routeKey: '$context.routeKey',
    status: '$context.status',
    responseLength: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    subject: '$context.authorizer.claims.sub',
    authorizerError: '$context.authorizer.error',
    integrationError: '$context.integrationErrorMessage',
  }),
);

/**
 * The HTTP API: every route asks for a token unless it is made by `addOpenRoute`.
 *
 * `url` does not depend on any function, so functions may be told where the API is.
 */
export class ServiceApi extends Construct {
  /** Absolute, without a trailing slash. */
  readonly url: string;
  readonly #api: HttpApi;
  readonly #integrations = new Map<ServiceFunction, HttpLambdaIntegration>();

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    const origins = [...(props.corsOrigins ?? [])];
    this.#api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      defaultAuthorizer: new HttpJwtAuthorizer('Authorizer', props.jwt.issuer, {
        jwtAudience: [...props.jwt.audience],
      }),
      ...(origins.length === 0 ? {} : { corsPreflight: corsPreflight(origins) }),
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.#api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLogs', {
            retention: RetentionDays.THREE_MONTHS,
            removalPolicy: props.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
          }),
        ),
        format: ACCESS_LOG_FORMAT,
      },
    });
    this.url = this.#api.apiEndpoint;
  }

  /** Serves a route to callers with a valid token. */
  addRoute(method: HttpMethod, path: string, target: ServiceFunction): void {
    this.#add(method, path, target);
  }

  /** Serves a route to everybody; `reason` says why it needs no token. */
  addOpenRoute(method: HttpMethod, path: string, target: ServiceFunction, reason: string): void {
    const route = this.#add(method, path, target, new HttpNoneAuthorizer());
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
  }

  #add(method: HttpMethod, path: string, target: ServiceFunction, authorizer?: IHttpRouteAuthorizer): HttpRoute {
    assertEndsBeforeTheGateway(target);
    const [route] = this.#api.addRoutes({
      path,
      methods: [method],
      integration: this.#integration(target),
      ...(authorizer === undefined ? {} : { authorizer }),
    });
    if (route === undefined) throw new Error(`no route was made for ${method} ${path}`);
    return route;
  }

  #integration(target: ServiceFunction): HttpLambdaIntegration {
    const known = this.#integrations.get(target);
    if (known !== undefined) return known;
    const integration = new HttpLambdaIntegration(target.node.id, target, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    });
    this.#integrations.set(target, integration);
    return integration;
  }
}

function assertEndsBeforeTheGateway(target: ServiceFunction): void {
  const seconds = target.timeout?.toSeconds() ?? Number.POSITIVE_INFINITY;
  if (seconds < GATEWAY_TIMEOUT.toSeconds()) return;
  throw new Error(
    `${target.node.path} may run for ${seconds} s, but a gateway gives up after ${GATEWAY_TIMEOUT.toSeconds()} s`,
  );
}

function corsPreflight(allowOrigins: string[]) {
  return {
    allowOrigins,
    allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
    allowHeaders: ALLOW_HEADERS,
    exposeHeaders: EXPOSE_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
  };
}
