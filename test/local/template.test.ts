import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalRunError } from '../../lib/local/local-run-error.ts';
import { readAssembly } from '../../lib/local/template/assembly.ts';
import type { Json } from '../../lib/local/template/json.ts';
import { localNames } from '../../lib/local/template/local-values.ts';
import { readService } from '../../lib/local/template/read-service.ts';
import { rateMs } from '../../lib/local/template/schedules.ts';
import { assemblyOf, lambda } from './assembly-of.ts';
import { ASSEMBLY } from './support.ts';

const API_URL = 'http://127.0.0.1:3000';
const QUEUES_URL = 'http://127.0.0.1:4000';
const read = (directory: string) =>
  readService(readAssembly(directory), localNames({ region: 'eu-north-1', apiUrl: API_URL, queuesUrl: QUEUES_URL }));

describe('the synthesised app', () => {
  const service = read(ASSEMBLY);
  const echo = service.functions.find(({ id }) => id === 'echo');

  it('names each function after its construct, whether or not that wraps the function', () => {
    expect(service.functions.map(({ id }) => id)).toEqual(['echo', 'single', 'broken', 'reconcile']);
  });

  it('gives each function its bundle, time-out, memory and concurrency', () => {
    expect(service.functions.find(({ id }) => id === 'reconcile')).toMatchObject({
      assetDirectory: join(ASSEMBLY, 'asset.reconcile'),
      handler: 'index.handler',
      timeoutMs: 5000,
      memoryMb: 256,
      concurrencyMax: 1,
    });
  });

  it('resolves imports of another stack, by export and by output', () => {
    expect(echo?.environment).toMatchObject({
      TABLE_NAME: 'fixture-data-Table',
      STRIPE_SECRET_ID: 'arn:aws:secretsmanager:eu-north-1:000000000000:secret:fixture-data-Secret',
    });
  });

  it("puts the local URL where the API's public host name is spelt out", () => {
    expect(echo?.environment['DOCS_BASE_URL']).toBe(API_URL);
  });

  it('resolves Fn::Sub with its own variables, attributes and literals, Fn::Select and Fn::Split', () => {
    expect(echo?.environment['PARTS']).toBe(`b/eu-north-1/\${literal}/${API_URL}`);
  });

  it('ties routes to functions, authorizers and scopes', () => {
    expect(service.routes.find(({ routeKey }) => routeKey === 'GET /scoped')).toEqual({
      routeKey: 'GET /scoped',
      functionId: 'echo',
      authorizerId: 'Authorizer',
      scopes: ['echo/read'],
      integrationTimeoutMs: 30_000,
    });
    expect(service.routes.find(({ routeKey }) => routeKey === 'ANY /open')?.authorizerId).toBeUndefined();
  });

  it('resolves issuer and audience of the authorizer', () => {
    expect(service.authorizers).toEqual([
      {
        id: 'Authorizer',
        issuer: 'https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Pool',
        audience: ['Client'],
      },
    ]);
  });

  it('reads keys, index and TTL of a global table', () => {
    expect(service.tables).toEqual([
      {
        name: 'fixture-data-Table',
        keySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        attributes: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'dueShard', AttributeType: 'N' },
          { AttributeName: 'dueAt', AttributeType: 'N' },
        ],
        globalIndexes: [
          {
            IndexName: 'due',
            KeySchema: [
              { AttributeName: 'dueShard', KeyType: 'HASH' },
              { AttributeName: 'dueAt', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        ttlAttribute: 'expiresAt',
      },
    ]);
  });

  it('ties the schedule to its function', () => {
    expect(service.schedules).toEqual([
      { name: 'Schedule', functionId: 'reconcile', everyMs: 60_000, input: undefined },
    ]);
  });

  it.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(2 hours)', 7_200_000],
    ['rate(1 day)', 86_400_000],
    ['cron(0 12 * * ? *)', undefined],
  ])('reads %s as %s ms', (expression, everyMs) => {
    expect(rateMs(expression)).toBe(everyMs);
  });

  it('follows an alias to its function', () => {
    const directory = assemblyOf({
      Pay: lambda('pay'),
      Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Pay' }, Name: 'live' } },
      Uses: {
        Type: 'AWS::ApiGatewayV2::Integration',
        Properties: { IntegrationType: 'AWS_PROXY', IntegrationUri: { Ref: 'Live' }, PayloadFormatVersion: '2.0' },
      },
      Route: {
        Type: 'AWS::ApiGatewayV2::Route',
        Properties: { RouteKey: 'GET /', Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Uses' }]] } },
      },
    });
    expect(read(directory).routes[0]?.functionId).toBe('pay');
  });

  it.each<[string, Record<string, Json>]>([
    ['two functions are called pay', { A: lambda('pay'), B: lambda('pay/Function') }],
    ['Fn::Cidr is not known', { A: lambda('pay', { Environment: { Variables: { X: { 'Fn::Cidr': [] } } } }) }],
    ['no stack exports X', { A: lambda('pay', { Environment: { Variables: { X: { 'Fn::ImportValue': 'X' } } } }) }],
    [
      'is authorised by AWS_IAM',
      {
        A: lambda('pay'),
        I: {
          Type: 'AWS::ApiGatewayV2::Integration',
          Properties: {
            IntegrationType: 'AWS_PROXY',
            IntegrationUri: { 'Fn::GetAtt': 'A.Arn' },
            PayloadFormatVersion: '2.0',
          },
        },
        R: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { RouteKey: 'GET /', Target: 'integrations/I', AuthorizationType: 'AWS_IAM' },
        },
      },
    ],
    ['one HTTP API and has 2', { Second: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} } }],
  ])('refuses what it cannot serve, and says so: %s', (reason, resources) => {
    expect(() => read(assemblyOf(resources))).toThrow(reason);
  });

  it('asks for a synth when there is nothing to read', () => {
    const missing = () => readAssembly(join(tmpdir(), 'no-such-assembly'));
    expect(missing).toThrow(LocalRunError);
    expect(missing).toThrow('Run `npx cdk synth` first');
  });
});
