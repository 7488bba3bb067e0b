import type { Resource } from './assembly.ts';
import { functionOf } from './functions.ts';
import { resolveText, resolveValue, type Scope, unsupported } from './intrinsics.ts';
import { isObject, type Json } from './json.ts';
import type { AuthorizerModel, CorsModel, FunctionModel, RouteModel } from './service-model.ts';

/** The most that an HTTP API waits for an integration, and its default. */
const INTEGRATION_TIMEOUT_MS = 30_000;

export interface ApiModel {
  readonly routes: RouteModel[];
  readonly authorizers: AuthorizerModel[];
  readonly cors: CorsModel | undefined;
}

export function readApi(scopes: readonly Scope[], functions: readonly FunctionModel[]): ApiModel {
  const apis = scopes.flatMap((scope) => ofType(scope, 'AWS::ApiGatewayV2::Api'));
  const [api] = apis;
  if (!api || apis.length > 1) throw unsupported(`it needs one HTTP API and has ${apis.length}`);
  return {
    routes: scopes.flatMap((scope) =>
      ofType(scope, 'AWS::ApiGatewayV2::Route').map((route) => readRoute(route, scope, functions)),
    ),
    authorizers: scopes.flatMap((scope) =>
      ofType(scope, 'AWS::ApiGatewayV2::Authorizer').map((authorizer) => readAuthorizer(authorizer, scope)),
    ),
    cors: readCors(api),
  };
}

export function ofType(scope: Scope, type: string): Resource[] {
  return [...scope.stack.resources.values()].filter((resource) => resource.type === type);
}

function readRoute({ id, properties }: Resource, scope: Scope, functions: readonly FunctionModel[]): RouteModel {
  const integrationId = resolveText(properties['Target'], scope)?.replace('integrations/', '') ?? '';
  const integration = scope.stack.resources.get(integrationId)?.properties;
  if (!integration) throw unsupported(`route ${id} has no integration`);
  const version = integration['PayloadFormatVersion'];
  if (integration['IntegrationType'] !== 'AWS_PROXY' || version !== '2.0') {
    throw unsupported(`route ${id} is not a Lambda integration of payload format 2.0`);
  }
  const type = properties['AuthorizationType'] ?? 'NONE';
  if (type !== 'NONE' && type !== 'JWT') throw unsupported(`route ${id} is authorised by ${type}`);
  const timeoutMs = integration['TimeoutInMillis'];
  return {
    routeKey: resolveText(properties['RouteKey'], scope) ?? '',
    functionId: functionOf(resolveText(integration['IntegrationUri'], scope) ?? '', functions).id,
    authorizerId: type === 'JWT' ? resolveText(properties['AuthorizerId'], scope) : undefined,
    scopes: texts(properties['AuthorizationScopes'], scope),
    integrationTimeoutMs: typeof timeoutMs === 'number' ? timeoutMs : INTEGRATION_TIMEOUT_MS,
  };
}

function readAuthorizer({ id, properties }: Resource, scope: Scope): AuthorizerModel {
  const jwt = isObject(properties['JwtConfiguration']) ? properties['JwtConfiguration'] : {};
  const issuer = resolveText(jwt['Issuer'], scope);
  if (issuer === undefined) throw unsupported(`authorizer ${id} is no JWT authorizer`);
  return { id, issuer, audience: texts(jwt['Audience'], scope) };
}

function readCors({ properties }: Resource): CorsModel | undefined {
  const cors = properties['CorsConfiguration'];
  if (!isObject(cors)) return undefined;
  const maxAge = cors['MaxAge'];
  return {
    allowCredentials: cors['AllowCredentials'] === true,
    allowHeaders: strings(cors['AllowHeaders']),
    allowMethods: strings(cors['AllowMethods']),
    allowOrigins: strings(cors['AllowOrigins']),
    exposeHeaders: strings(cors['ExposeHeaders']),
    maxAgeSeconds: typeof maxAge === 'number' ? maxAge : undefined,
  };
}

function texts(value: Json | undefined, scope: Scope): string[] {
  return value === undefined ? [] : strings(resolveValue(value, scope));
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
