import type { Resource, Stack } from './assembly.ts';
import { resolveText, type Scope } from './intrinsics.ts';

export const LOCAL_ACCOUNT_ID = '000000000000';
export const LOCAL_API_ID = 'local';

/** What a deployment would have chosen. */
export interface LocalNames {
  readonly region: string;
  readonly apiUrl: string;
  /** Where the queues are served. */
  readonly queuesUrl: string;
  /** Puts the local URL where a template spells the API's public host name out. */
  readonly localise: (text: string) => string;
}

export function localNames({ region, apiUrl, queuesUrl }: Omit<LocalNames, 'localise'>): LocalNames {
  const deployedUrl = `https://${LOCAL_API_ID}.execute-api.${region}.amazonaws.com`;
  return { region, apiUrl, queuesUrl, localise: (text) => text.replaceAll(deployedUrl, apiUrl) };
}

export function pseudoParameter(id: string, stack: Stack, { region }: LocalNames): string | undefined {
  switch (id) {
    case 'AWS::Region':
      return region;
    case 'AWS::AccountId':
      return LOCAL_ACCOUNT_ID;
    case 'AWS::Partition':
      return 'aws';
    case 'AWS::URLSuffix':
      return 'amazonaws.com';
    case 'AWS::StackName':
      return stack.name;
    case 'AWS::StackId':
      return `arn:aws:cloudformation:${region}:${LOCAL_ACCOUNT_ID}:stack/${stack.name}/local`;
    case 'AWS::NoValue':
      return '';
    default:
      return undefined;
  }
}

/** What `Ref` gives: the name, the id or the ARN, as the resource's type has it. */
export function localReference(resource: Resource, scope: Scope): string {
  switch (resource.type) {
    case 'AWS::ApiGatewayV2::Api':
      return LOCAL_API_ID;
    case 'AWS::SecretsManager::Secret':
    case 'AWS::SNS::Topic':
      return localArn(resource, scope);
    case 'AWS::Lambda::Alias':
    case 'AWS::Lambda::Version':
      return aliasedFunction(resource, scope);
    case 'AWS::SQS::Queue':
      return `${scope.names.queuesUrl}/${LOCAL_ACCOUNT_ID}/${localName(resource, scope)}`;
    case 'AWS::Cognito::UserPool':
      return `${scope.names.region}_${resource.id}`;
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::DynamoDB::Table':
    case 'AWS::Lambda::Function':
      return localName(resource, scope);
    default:
      return resource.id;
  }
}

export function localAttribute(resource: Resource, attribute: string, scope: Scope): string {
  switch (attribute) {
    case 'Arn':
    case 'TopicArn':
      return localArn(resource, scope);
    case 'ApiEndpoint':
      return scope.names.apiUrl;
    case 'QueueUrl':
      return localReference(resource, scope);
    case 'QueueName':
      return localName(resource, scope);
    case 'ProviderURL':
      return `https://cognito-idp.${scope.names.region}.amazonaws.com/${localReference(resource, scope)}`;
    default:
      return `${resource.id}.${attribute}`;
  }
}

/** The name that the template gives, otherwise one that stays the same from run to run. */
export function localName(resource: Resource, scope: Scope): string {
  const { TableName, FunctionName, QueueName, Name, FifoQueue } = resource.properties;
  const given = resolveText(TableName ?? FunctionName ?? QueueName ?? Name, scope);
  return given ?? `${scope.stack.name}-${resource.id}${FifoQueue === true ? '.fifo' : ''}`;
}

function localArn(resource: Resource, scope: Scope): string {
  const arn = (service: string, rest: string) => `arn:aws:${service}:${scope.names.region}:${LOCAL_ACCOUNT_ID}:${rest}`;
  const name = localName(resource, scope);
  switch (resource.type) {
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::DynamoDB::Table':
      return arn('dynamodb', `table/${name}`);
    case 'AWS::Lambda::Function':
      return arn('lambda', `function:${name}`);
    case 'AWS::SecretsManager::Secret':
      return arn('secretsmanager', `secret:${name}`);
    case 'AWS::SQS::Queue':
      return arn('sqs', name);
    case 'AWS::SNS::Topic':
      return arn('sns', name);
    default:
      return arn('local', `${resource.type}/${name}`);
  }
}

/** An alias and a version run the one bundle that was synthesised. */
function aliasedFunction(resource: Resource, scope: Scope): string {
  const target = resolveText(resource.properties['FunctionName'], scope) ?? '';
  if (target.startsWith('arn:')) return target;
  return `arn:aws:lambda:${scope.names.region}:${LOCAL_ACCOUNT_ID}:function:${target}`;
}
