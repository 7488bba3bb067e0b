import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { JobQueue, type JobQueueProps } from '../../lib/constructs/job-queue.ts';
import { all, functionsOf, newApp, only, statementsFor } from '../stacks/synth.ts';

const SECONDS = 30;

function jobQueue(props: Partial<JobQueueProps> & { readonly timeout?: Duration | undefined } = {}) {
  const stack = new Stack(newApp(), 'Test');
  const code = { runtime: Runtime.NODEJS_24_X, code: Code.fromInline('exports.handler = async () => {}') };
  const { timeout, ...rest } = { timeout: Duration.seconds(SECONDS), ...props };
  const make = (id: string) =>
    new LambdaFunction(stack, id, { ...code, handler: 'index.handler', ...(timeout && { timeout }) });
  const jobs = new JobQueue(stack, 'Jobs', { consumer: make('consumer'), ...rest });
  jobs.grantSend(make('producer'));
  make('bystander');
  const template = Template.fromStack(stack);
  const at = (name: string) => {
    const found = all(template, 'AWS::SQS::Queue').find(({ resource }) =>
      resource.Metadata['aws:cdk:path'].endsWith(`/${name}/Resource`),
    );
    if (found === undefined) throw new Error(`there is no queue ${name}`);
    return found;
  };
  return { template, queue: at('Queue'), deadLetters: at('DeadLetters') };
}

const { template, queue, deadLetters } = jobQueue();
const ARN = { 'Fn::GetAtt': [queue.id, 'Arn'] };

describe('the queue', () => {
  // I5
  test('hides a message for at least six times as long as its function may run', () => {
    expect(queue.resource.Properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * SECONDS);
    const byDefault = jobQueue({ timeout: undefined }).queue.resource.Properties.VisibilityTimeout;
    expect(byDefault).toBeGreaterThanOrEqual(6 * 3);
  });

  test('puts a message among the dead letters when it has failed five times', () => {
    expect(queue.resource.Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters.id, 'Arn'] },
      maxReceiveCount: 5,
    });
    expect(deadLetters.resource.Properties).not.toHaveProperty('RedrivePolicy');
  });

  test('keeps dead letters longer than it keeps messages', () => {
    const fourDays = 4 * 24 * 3600;
    expect(queue.resource.Properties.MessageRetentionPeriod ?? fourDays).toBe(fourDays);
    expect(deadLetters.resource.Properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  });

  test('is encrypted and refuses what comes without TLS, as its dead letters do', () => {
    for (const { resource } of [queue, deadLetters]) expect(resource.Properties.SqsManagedSseEnabled).toBe(true);
    const policies = all(template, 'AWS::SQS::QueuePolicy').map(({ resource }) => resource.Properties);
    expect(policies.map(({ Queues }) => Queues[0].Ref).toSorted()).toEqual([queue.id, deadLetters.id].toSorted());
    for (const { PolicyDocument } of policies)
      expect(PolicyDocument.Statement).toEqual([
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ]);
  });

  test('is kept with what is in it unless it is said to be disposable', () => {
    for (const { resource } of [queue, deadLetters]) expect(resource.DeletionPolicy).toBe('Retain');
    const disposable = jobQueue({ disposable: true });
    for (const { resource } of [disposable.queue, disposable.deadLetters])
      expect(resource.DeletionPolicy).toBe('Delete');
  });
});

describe('the function', () => {
  const { id, resource } = only(template, 'AWS::Lambda::EventSourceMapping');

  // I1
  test('gets small batches and reports which messages failed', () => {
    expect(resource.Properties).toEqual({
      EventSourceArn: ARN,
      FunctionName: { Ref: expect.stringContaining('consumer') },
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
  });

  test('may receive before it is asked to', () => {
    const policies = Object.keys(template.findResources('AWS::IAM::Policy'));
    expect(policies.some((policy) => policy.includes('consumer') && resource.DependsOn.includes(policy))).toBe(true);
    expect(id).toBeTruthy();
  });
});

test('the consumer may receive, the producer may send, and nobody may do anything else', () => {
  const granted = functionsOf(template);
  const allowed = (name: string) => statementsFor('sqs', granted[name]?.statements ?? []);
  expect(allowed('consumer')).toEqual([
    { Effect: 'Allow', Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'], Resource: ARN },
  ]);
  expect(allowed('producer')).toEqual([{ Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: ARN }]);
  expect(allowed('bystander')).toEqual([]);
});
