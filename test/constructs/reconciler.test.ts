import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { Reconciler } from '../../lib/constructs/reconciler.ts';
import { newApp, only } from '../stacks/synth.ts';

function reconciler(every?: Duration) {
  const stack = new Stack(newApp(), 'Test');
  const target = new LambdaFunction(stack, 'sweep', {
    runtime: Runtime.NODEJS_24_X,
    code: Code.fromInline('exports.handler = async () => {}'),
    handler: 'index.handler',
  });
  new Reconciler(stack, 'Reconciler', { target, ...(every && { every }) });
  return Template.fromStack(stack);
}

const template = reconciler();
const FUNCTION = { 'Fn::GetAtt': [only(template, 'AWS::Lambda::Function').id, 'Arn'] };
const QUEUE = { 'Fn::GetAtt': [only(template, 'AWS::SQS::Queue').id, 'Arn'] };

test('the function runs every minute on the minute', () => {
  const { Properties } = only(template, 'AWS::Scheduler::Schedule').resource;

  expect(Properties).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: FUNCTION },
  });
});

test('another interval is taken', () => {
  const { Properties } = only(reconciler(Duration.minutes(5)), 'AWS::Scheduler::Schedule').resource;

  expect(Properties.ScheduleExpression).toBe('rate(5 minutes)');
});

test('a run that is not delivered is tried twice within a minute, then kept as a dead letter', () => {
  const { Target } = only(template, 'AWS::Scheduler::Schedule').resource.Properties;

  expect(Target.RetryPolicy).toEqual({ MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 60 });
  expect(Target.DeadLetterConfig).toEqual({ Arn: QUEUE });
});

test('a run that fails is not repeated but kept as a dead letter', () => {
  expect(only(template, 'AWS::Lambda::EventInvokeConfig').resource.Properties).toMatchObject({
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
    DestinationConfig: { OnFailure: { Destination: QUEUE } },
  });
});

test('dead letters are encrypted, kept for two weeks and refused without TLS', () => {
  expect(only(template, 'AWS::SQS::Queue').resource.Properties).toEqual({
    MessageRetentionPeriod: 14 * 24 * 3600,
    SqsManagedSseEnabled: true,
  });
  expect(only(template, 'AWS::SQS::QueuePolicy').resource.Properties.PolicyDocument.Statement).toEqual([
    expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
  ]);
});

test('the schedule may invoke this function and write this queue, for this account only', () => {
  const { Target } = only(template, 'AWS::Scheduler::Schedule').resource.Properties;
  const role = Target.RoleArn['Fn::GetAtt'][0];
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(
    ({ Properties }) => Properties.Roles[0].Ref === role,
  );

  expect(policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
    { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: FUNCTION },
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE },
  ]);
  expect(template.findResources('AWS::IAM::Role')[role]?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
});
