import { describe, expect, test } from 'vitest';
import { all, only, synthesise } from './synth.ts';

const kept = synthesise();
const disposable = synthesise({ disposable: true });

const HELD = ['AWS::DynamoDB::GlobalTable', 'AWS::SecretsManager::Secret', 'AWS::Cognito::UserPool'];
const SECRETS = ['StripeSecret', 'StripeWebhookSecret'];

describe('what the stack holds', () => {
  test.each(HELD)('%s outlives its stack', (type) => {
    for (const { resource } of all(kept.dataTemplate, type))
      expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  test.each(HELD)('%s goes with a disposable stack', (type) => {
    for (const { resource } of all(disposable.dataTemplate, type))
      expect(resource).toMatchObject({ DeletionPolicy: 'Delete' });
  });

  test('the user pool is protected from deletion where it is kept', () => {
    expect(only(kept.dataTemplate, HELD[2] ?? '').resource.Properties.DeletionProtection).toBe('ACTIVE');
    expect(only(disposable.dataTemplate, HELD[2] ?? '').resource.Properties.DeletionProtection).toBe('INACTIVE');
  });
});

test.each(SECRETS)('%s is a plain placeholder that no deployment replaces', (name) => {
  const { resource } = named(name);

  expect(resource.Properties.GenerateSecretString).toEqual({ ExcludePunctuation: true });
  expect(resource.Properties).not.toHaveProperty('SecretString');
});

function named(secret: string) {
  const found = all(kept.dataTemplate, 'AWS::SecretsManager::Secret').find(
    ({ resource }) => resource.Metadata['aws:cdk:path'] === `Data/${secret}/Resource`,
  );
  if (found === undefined) throw new Error(`there is no secret ${secret}`);
  return found;
}

describe('without an issuer', () => {
  test('a machine client gets tokens for itself', () => {
    const { resource } = only(kept.dataTemplate, 'AWS::Cognito::UserPoolClient');

    expect(resource.Properties).toMatchObject({
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthFlowsUserPoolClient: true,
      GenerateSecret: true,
    });
  });

  test('the token endpoint has a name that differs per account and per stack', () => {
    const { resource } = only(kept.dataTemplate, 'AWS::Cognito::UserPoolDomain');

    expect(resource.Properties.Domain).toEqual({ 'Fn::Join': ['', ['data-', { Ref: 'AWS::AccountId' }]] });
  });

  test('the operator is told where the client gets its tokens', () => {
    expect(Object.keys(kept.dataTemplate.findOutputs('*'))).toEqual(expect.arrayContaining(['TokenUrl', 'ClientId']));
  });
});

test('with an issuer of its own the deployment has no user pool', () => {
  const { dataTemplate } = synthesise({ jwt: { issuer: 'https://id.example', audience: ['a'] } });

  const types = Object.values(dataTemplate.toJSON().Resources).map((resource) => (resource as { Type: string }).Type);
  expect(types.filter((type) => type.startsWith('AWS::Cognito::'))).toEqual([]);
});

test('the outputs name the table and the secrets that the operator fills', () => {
  const table = only(kept.dataTemplate, 'AWS::DynamoDB::GlobalTable');

  expect(kept.dataTemplate.findOutputs('TableName')).toEqual({ TableName: { Value: { Ref: table.id } } });
  for (const name of SECRETS)
    expect(kept.dataTemplate.findOutputs(`${name}Arn`)).toEqual({ [`${name}Arn`]: { Value: { Ref: named(name).id } } });
});
