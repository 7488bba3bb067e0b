import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { expect, test } from 'vitest';
import { ServiceApi } from '../../lib/constructs/service-api.ts';
import { ServiceFunction, type ServiceFunctionProps } from '../../lib/constructs/service-function.ts';
import { functionsOf, newApp, only } from '../stacks/synth.ts';

function make(id: string, props: Partial<ServiceFunctionProps> = {}) {
  const stack = new Stack(newApp(), 'Test');
  const target = new ServiceFunction(stack, id, { description: 'd', timeout: Duration.seconds(5), ...props });
  return { stack, target };
}

test("a function's id is its folder, which the path in the template repeats", () => {
  const template = Template.fromStack(make('docs').stack);

  expect(only(template, 'AWS::Lambda::Function').resource.Metadata['aws:cdk:path']).toBe('Test/docs/Resource');
});

test('an id without a folder is refused at once', () => {
  expect(() => make('no-such-function')).toThrow(/functions\/no-such-function\/handler\.ts/);
});

test('a function may write to its own log group and do nothing else', () => {
  const template = Template.fromStack(make('docs').stack);

  expect(functionsOf(template)['docs']?.statements).toEqual([
    {
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: { 'Fn::GetAtt': [only(template, 'AWS::Logs::LogGroup').id, 'Arn'] },
    },
  ]);
});

test.each([29, 60])('the API refuses a function that may run for %i s, longer than a gateway waits', (seconds) => {
  const { stack, target } = make('docs', { timeout: Duration.seconds(seconds) });
  const api = new ServiceApi(stack, 'Http', { jwt: { issuer: 'https://id.example', audience: ['a'] } });

  expect(() => api.addRoute(HttpMethod.GET, '/slow', target)).toThrow(
    `Test/docs may run for ${seconds} s, but a gateway gives up after 29 s`,
  );
});
