import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DataStack, type DataStackProps } from '../../lib/stacks/data-stack.ts';
import { ServiceStack, type ServiceStackProps } from '../../lib/stacks/service-stack.ts';

export type Options = Pick<DataStackProps, 'disposable' | 'jwt'> &
  Pick<ServiceStackProps, 'corsOrigins' | 'tenantClaim'>;

export type Stacks = ReturnType<typeof synthesise>;

/** An app under the feature flags of cdk.json, which `new App()` does not read, and without bundling, which takes time. */
export function newApp(): App {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  return new App({
    context: { ...context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true },
  });
}

/** Both stacks as the app makes them, with their templates. */
export function synthesise({ disposable = false, jwt, corsOrigins = [], tenantClaim }: Options = {}) {
  const app = newApp();
  const data = new DataStack(app, 'Data', { disposable, ...(jwt && { jwt }) });
  const service = new ServiceStack(app, 'Service', {
    disposable,
    table: data.table,
    stripeSecretArn: data.stripeSecretArn,
    webhookSecretArn: data.webhookSecretArn,
    jwt: data.jwt,
    corsOrigins,
    ...(tenantClaim && { tenantClaim }),
  });
  return {
    app,
    data,
    service,
    dataTemplate: Template.fromStack(data),
    serviceTemplate: Template.fromStack(service),
  };
}

/** Functions of a template by their construct ids, with the statements of their roles. */
export function functionsOf(template: Template) {
  const roles = statementsByRole(template);
  return Object.fromEntries(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties, Metadata }) => [
      String(Metadata['aws:cdk:path']).split('/').at(-2) ?? '',
      { properties: Properties, statements: roles.get(Properties.Role['Fn::GetAtt'][0]) ?? [] },
    ]),
  );
}

function statementsByRole(template: Template) {
  const byRole = new Map<string, Statement[]>();
  for (const { Properties } of Object.values(template.findResources('AWS::IAM::Policy'))) {
    for (const role of Properties.Roles) {
      byRole.set(role.Ref, [...(byRole.get(role.Ref) ?? []), ...Properties.PolicyDocument.Statement]);
    }
  }
  return byRole;
}

export interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: 'Allow' | 'Deny';
  readonly Resource: unknown;
}

/** The statements that name actions of a service, such as `dynamodb`, with their actions as a sorted list. */
export function statementsFor(service: string, statements: readonly Statement[]) {
  return statements
    .map(({ Action, Effect, Resource }) => ({ Effect, Action: [Action].flat().toSorted(), Resource }))
    .filter(({ Action }) => Action.some((action) => action.startsWith(`${service}:`)));
}

/** The resources of a type: their logical ids and what the template says about them; there is at least one. */
export function all(template: Template, type: string) {
  const found = Object.entries(template.findResources(type)).map(([id, resource]) => ({ id, resource }));
  if (found.length === 0) throw new Error(`no resources of type ${type}`);
  return found;
}

/** The one resource of a type. */
export function only(template: Template, type: string) {
  const [first, ...others] = all(template, type);
  if (first === undefined || others.length > 0) throw new Error(`${1 + others.length} resources of type ${type}`);
  return first;
}

/** How the service stack names a value that the data stack exports. */
export function imported(dataTemplate: Template, value: unknown): unknown {
  const wanted = JSON.stringify(value);
  const output = Object.values(dataTemplate.findOutputs('*')).find(
    ({ Value, Export }) => Export !== undefined && JSON.stringify(Value) === wanted,
  );
  if (output === undefined) throw new Error(`nothing exports ${wanted}`);
  return { 'Fn::ImportValue': output.Export.Name };
}
