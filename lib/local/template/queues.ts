import { ofType } from './api.ts';
import type { Resource } from './assembly.ts';
import { functionOf } from './functions.ts';
import { resolveText, resolveValue, type Scope, unsupported } from './intrinsics.ts';
import { isObject, type Json } from './json.ts';
import { localAttribute, localName, localReference } from './local-values.ts';
import type { EventSourceModel, FunctionModel, QueueModel } from './service-model.ts';

/** CloudFormation's own defaults. */
const VISIBILITY_SECONDS_DEFAULT = 30;
const BATCH_SIZE_DEFAULT = 10;

export function readQueues(scopes: readonly Scope[]): QueueModel[] {
  const queues = scopes.flatMap((scope) => ofType(scope, 'AWS::SQS::Queue').map((queue) => readQueue(queue, scope)));
  for (const { name, redrive } of queues) {
    if (redrive && !queues.some(({ arn }) => arn === redrive.deadLetterArn)) {
      throw unsupported(`queue ${name} has a dead-letter queue that the app does not hold`);
    }
  }
  return queues;
}

function readQueue(queue: Resource, scope: Scope): QueueModel {
  const { VisibilityTimeout, DelaySeconds, ReceiveMessageWaitTimeSeconds, FifoQueue, ContentBasedDeduplication } =
    queue.properties;
  const name = localName(queue, scope);
  const fifo = isTrue(FifoQueue);
  if (fifo !== name.endsWith('.fifo')) throw unsupported(`queue ${name} is FIFO or ends in .fifo, but not both`);
  return {
    name,
    arn: localAttribute(queue, 'Arn', scope),
    url: localReference(queue, scope),
    fifo,
    contentBasedDeduplication: isTrue(ContentBasedDeduplication),
    visibilityMs: numberOr(VisibilityTimeout, VISIBILITY_SECONDS_DEFAULT) * 1000,
    delayMs: numberOr(DelaySeconds, 0) * 1000,
    waitMs: numberOr(ReceiveMessageWaitTimeSeconds, 0) * 1000,
    redrive: readRedrive(queue, scope),
  };
}

function readRedrive({ properties }: Resource, scope: Scope): QueueModel['redrive'] {
  const policy = resolveValue(properties['RedrivePolicy'] ?? null, scope);
  const { deadLetterTargetArn, maxReceiveCount } = isObject(policy) ? policy : {};
  if (deadLetterTargetArn === undefined) return undefined;
  return { deadLetterArn: String(deadLetterTargetArn), receiveCountMax: Number(maxReceiveCount) };
}

/** The mappings between queues and functions that are enabled. */
export function readEventSources(scopes: readonly Scope[], functions: readonly FunctionModel[]): EventSourceModel[] {
  return scopes.flatMap((scope) =>
    ofType(scope, 'AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties['Enabled'] === undefined || isTrue(properties['Enabled']))
      .map((mapping) => readEventSource(mapping, scope, functions)),
  );
}

function readEventSource(
  { id, properties }: Resource,
  scope: Scope,
  functions: readonly FunctionModel[],
): EventSourceModel {
  const queueArn = resolveText(properties['EventSourceArn'], scope) ?? '';
  if (!queueArn.startsWith('arn:aws:sqs:')) throw unsupported(`event source mapping ${id} is of no queue`);
  if (properties['FilterCriteria'] !== undefined) throw unsupported(`event source mapping ${id} has a filter`);
  const types = properties['FunctionResponseTypes'];
  const scaling = properties['ScalingConfig'];
  const maximum = isObject(scaling) ? scaling['MaximumConcurrency'] : undefined;
  return {
    queueArn,
    functionId: functionOf(resolveText(properties['FunctionName'], scope) ?? '', functions).id,
    batchSize: numberOr(properties['BatchSize'], BATCH_SIZE_DEFAULT),
    windowMs: numberOr(properties['MaximumBatchingWindowInSeconds'], 0) * 1000,
    reportsFailures: Array.isArray(types) && types.includes('ReportBatchItemFailures'),
    concurrencyMax: maximum === undefined ? undefined : Number(maximum),
  };
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true';
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return value === undefined ? otherwise : Number(value);
}
