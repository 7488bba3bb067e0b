import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { IdempotencyTable, type IdempotencyTableProps } from '../../lib/constructs/idempotency-table.ts';
import { DUE_AT, DUE_INDEX, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../../lib/contract/table.ts';
import { functionsOf, newApp, only, statementsFor } from '../stacks/synth.ts';

function table(props?: IdempotencyTableProps) {
  const stack = new Stack(newApp(), 'Test');
  new IdempotencyTable(stack, 'Claims', props);
  return only(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable').resource;
}

describe('the table', () => {
  const { Properties } = table();

  test('has the key that the code writes', () => {
    expect(Properties.KeySchema).toEqual([{ AttributeName: PARTITION_KEY, KeyType: 'HASH' }]);
  });

  // K1
  test('deletes by the attribute that the code writes', () => {
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: TTL_ATTRIBUTE, Enabled: true });
  });

  test('has one index, of keys only, over the claims that are due', () => {
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: DUE_INDEX,
        KeySchema: [
          { AttributeName: DUE_SHARD, KeyType: 'HASH' },
          { AttributeName: DUE_AT, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });

  test('has strings for keys and numbers for what is due', () => {
    expect(Properties.AttributeDefinitions).toEqual([
      { AttributeName: PARTITION_KEY, AttributeType: 'S' },
      { AttributeName: DUE_SHARD, AttributeType: 'N' },
      { AttributeName: DUE_AT, AttributeType: 'N' },
    ]);
  });

  test('is paid by the request', () => {
    expect(Properties.BillingMode).toBe('PAY_PER_REQUEST');
  });

  // A22, K4
  test('lives in its own Region and in no other, where a second conditional put would win too', () => {
    expect(Properties.Replicas.map((replica: { Region: unknown }) => replica.Region)).toEqual([{ Ref: 'AWS::Region' }]);
  });

  test('can be restored to any moment, whether it is disposable or not', () => {
    for (const disposable of [true, false]) {
      expect(table({ disposable }).Properties.Replicas[0].PointInTimeRecoverySpecification).toEqual({
        PointInTimeRecoveryEnabled: true,
      });
    }
  });
});

test('a table is protected and retained unless it is said to be disposable', () => {
  expect(table()).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  expect(table().Properties.Replicas[0].DeletionProtectionEnabled).toBe(true);
  expect(table({ disposable: true })).toMatchObject({ DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
  expect(table({ disposable: true }).Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
});

test("somebody else's app makes a table and grants plain functions exactly what they need", () => {
  const stack = new Stack(newApp(), 'Shop');
  const claims = new IdempotencyTable(stack, 'Claims');
  const runtime = Runtime.NODEJS_24_X;
  const code = Code.fromInline('exports.handler = async () => {}');
  const order = new LambdaFunction(stack, 'order', { runtime, code, handler: 'index.handler' });
  const sweep = new LambdaFunction(stack, 'sweep', { runtime, code, handler: 'index.handler' });
  const status = new LambdaFunction(stack, 'status', { runtime, code, handler: 'index.handler' });
  claims.grantClaims(order);
  claims.grantReconcile(sweep);
  claims.grantRead(status);

  const template = Template.fromStack(stack);
  const { id } = only(template, 'AWS::DynamoDB::GlobalTable');
  const Resource = { 'Fn::GetAtt': [id, 'Arn'] };
  const writes = ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
  const granted = functionsOf(template);
  expect(statementsFor('dynamodb', granted.order?.statements ?? [])).toEqual([
    { Effect: 'Allow', Action: writes, Resource },
  ]);
  expect(statementsFor('dynamodb', granted.sweep?.statements ?? [])).toEqual([
    {
      Effect: 'Allow',
      Action: ['dynamodb:Query'],
      Resource: { 'Fn::Join': ['', [Resource, `/index/${DUE_INDEX}`]] },
    },
    { Effect: 'Allow', Action: writes, Resource },
  ]);
  expect(statementsFor('dynamodb', granted.status?.statements ?? [])).toEqual([
    { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource },
  ]);
});
