import { describe, expect, test } from 'vitest';
import { imported, only, synthesise } from './synth.ts';

const { dataTemplate, serviceTemplate } = synthesise({ corsOrigins: ['https://shop.example'] });

const ROUTES = {
  'POST /payments': ['create-payment', 'JWT'],
  'GET /payments/{id}': ['get-payment', 'JWT'],
  'GET /idempotency-keys/{key+}': ['get-key', 'JWT'],
  'POST /webhooks/stripe': ['payment-webhook', 'NONE'],
  'GET /problems': ['docs', 'NONE'],
  'GET /problems/{code}': ['docs', 'NONE'],
};

function routes() {
  const integrations = serviceTemplate.findResources('AWS::ApiGatewayV2::Integration');
  const functions = serviceTemplate.findResources('AWS::Lambda::Function');
  return Object.values(serviceTemplate.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
    const integration = integrations[Properties.Target['Fn::Join'][1][1].Ref]?.Properties;
    const target = functions[integration.IntegrationUri['Fn::GetAtt'][0]];
    return { route: Properties, integration, target };
  });
}

test('each route has its function, and all but the documentation and the webhook ask for a token', () => {
  const found = routes().map(({ route, target }) => [
    route.RouteKey,
    [target?.Metadata['aws:cdk:path'].split('/').at(-2), route.AuthorizationType],
  ]);

  expect(Object.fromEntries(found)).toEqual(ROUTES);
});

test('every protected route names the authorizer', () => {
  const { id } = only(serviceTemplate, 'AWS::ApiGatewayV2::Authorizer');
  const named = routes().filter(({ route }) => route.AuthorizationType === 'JWT');

  expect(named.map(({ route }) => route.AuthorizerId)).toEqual(named.map(() => ({ Ref: id })));
});

test('every function behind the gateway ends before the gateway gives up', () => {
  for (const { route, target } of routes()) {
    expect(target?.Properties.Timeout, route.RouteKey).toBeLessThan(29);
  }
});

test('functions receive payload format 2.0', () => {
  expect(new Set(routes().map(({ integration }) => integration.PayloadFormatVersion))).toEqual(new Set(['2.0']));
});

test('the gateway may invoke each function on its own routes only', () => {
  const paths = Object.values(serviceTemplate.findResources('AWS::Lambda::Permission')).map(({ Properties }) =>
    Properties.SourceArn['Fn::Join'][1].at(-1),
  );

  expect(paths.toSorted()).toEqual([
    '/*/*/idempotency-keys/{key+}',
    '/*/*/payments',
    '/*/*/payments/{id}',
    '/*/*/problems',
    '/*/*/problems/{code}',
    '/*/*/webhooks/stripe',
  ]);
});

describe('the authorizer', () => {
  test("trusts the pool's tokens for its client when there is no other issuer", () => {
    const pool = only(dataTemplate, 'AWS::Cognito::UserPool').id;
    const client = only(dataTemplate, 'AWS::Cognito::UserPoolClient').id;

    expect(only(serviceTemplate, 'AWS::ApiGatewayV2::Authorizer').resource.Properties).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: {
        Audience: [imported(dataTemplate, { Ref: client })],
        Issuer: imported(dataTemplate, { 'Fn::GetAtt': [pool, 'ProviderURL'] }),
      },
    });
  });

  test('trusts exactly the issuer and the audience that are given', () => {
    const jwt = { issuer: 'https://id.example/realm', audience: ['a', 'b'] };
    const { resource } = only(synthesise({ jwt }).serviceTemplate, 'AWS::ApiGatewayV2::Authorizer');

    expect(resource.Properties.JwtConfiguration).toEqual({ Issuer: jwt.issuer, Audience: ['a', 'b'] });
  });
});

describe('CORS', () => {
  test('lets the given origins send the key and read what a retry needs', () => {
    expect(only(serviceTemplate, 'AWS::ApiGatewayV2::Api').resource.Properties.CorsConfiguration).toEqual({
      AllowOrigins: ['https://shop.example'],
      AllowMethods: ['GET', 'POST'],
      AllowHeaders: ['Idempotency-Key', 'Content-Type', 'Authorization'],
      ExposeHeaders: ['Location', 'Retry-After', 'Idempotency-Replayed', 'Link'],
      MaxAge: 3600,
    });
  });

  test('is off without origins', () => {
    const { resource } = only(synthesise().serviceTemplate, 'AWS::ApiGatewayV2::Api');

    expect(resource.Properties).not.toHaveProperty('CorsConfiguration');
  });
});

describe('the stage', () => {
  const { Properties } = only(serviceTemplate, 'AWS::ApiGatewayV2::Stage').resource;

  test('serves at the root and deploys itself', () => {
    expect(Properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
  });

  test('throttles every route', () => {
    expect(Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 500 });
  });

  test('logs each request by its route, never by a path, which may hold a key', () => {
    expect(Object.keys(JSON.parse(Properties.AccessLogSettings.Format))).toContain('routeKey');
    expect(Properties.AccessLogSettings.Format).not.toMatch(/\$context\.(path|requestPath|http\.path)|authorization/i);
    expect(serviceTemplate.findResources('AWS::Logs::LogGroup')).toHaveProperty(
      Properties.AccessLogSettings.DestinationArn['Fn::GetAtt'][0],
    );
  });
});

test('the output names the URL that problem types begin with', () => {
  const { id } = only(serviceTemplate, 'AWS::ApiGatewayV2::Api');

  expect(serviceTemplate.findOutputs('ApiUrl')).toEqual({
    ApiUrl: { Value: { 'Fn::GetAtt': [id, 'ApiEndpoint'] } },
  });
});
