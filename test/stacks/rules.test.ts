import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { type Options, synthesise } from './synth.ts';

const VARIANTS: [string, Options][] = [
  ['a disposable deployment', { disposable: true, corsOrigins: ['*'] }],
  ['a deployment that is kept', { disposable: false }],
  [
    'a deployment with an issuer of its own',
    { jwt: { issuer: 'https://id.example', audience: ['a'] }, tenantClaim: 't' },
  ],
];

test.each(VARIANTS)('%s breaks none of the AWS Solutions rules', (_, options) => {
  const { app, data, service } = synthesise(options);

  expect(new AwsSolutionsChecks(app).validateScope(data).violations).toEqual([]);
  expect(new AwsSolutionsChecks(app).validateScope(service).violations).toEqual([]);
});

test.each(VARIANTS)('%s is made without a warning', (_, options) => {
  const { data, service } = synthesise(options);

  expect(Annotations.fromStack(data).findWarning('*', Match.anyValue())).toEqual([]);
  expect(Annotations.fromStack(service).findWarning('*', Match.anyValue())).toEqual([]);
});
