import { describe, expect, test } from 'vitest';
import { DUE_INDEX } from '../../lib/contract/table.ts';
import { queuesOf } from './queues.ts';
import { all, functionsOf, imported, only, type Statement, statementsFor, synthesise } from './synth.ts';

const { dataTemplate, serviceTemplate } = synthesise();
const functions = functionsOf(serviceTemplate);
const tenanted = functionsOf(synthesise({ tenantClaim: 'org' }).serviceTemplate);

const table = only(dataTemplate, 'AWS::DynamoDB::GlobalTable').id;
const TABLE_ARN = imported(dataTemplate, { 'Fn::GetAtt': [table, 'Arn'] });
const TABLE_NAME = imported(dataTemplate, { Ref: table });
const secretNamed = (name: string) => {
  const { id } = all(dataTemplate, 'AWS::SecretsManager::Secret').find(
    ({ resource }) => resource.Metadata['aws:cdk:path'] === `Data/${name}/Resource`,
  ) ?? { id: `there is no ${name}` };
  return imported(dataTemplate, { Ref: id });
};
const STRIPE_SECRET_ID = secretNamed('StripeSecret');
const STRIPE_WEBHOOK_SECRET_ID = secretNamed('StripeWebhookSecret');
const DOCS_BASE_URL = {
  'Fn::GetAtt': [only(serviceTemplate, 'AWS::ApiGatewayV2::Api').id, 'ApiEndpoint'],
};

const claims = {
  Effect: 'Allow',
  Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  Resource: TABLE_ARN,
};
const query = {
  Effect: 'Allow',
  Action: ['dynamodb:Query'],
  Resource: { 'Fn::Join': ['', [TABLE_ARN, `/index/${DUE_INDEX}`]] },
};
const read = { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: TABLE_ARN };
const stripe = { Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: STRIPE_SECRET_ID };
const stripeAndWebhook = { ...stripe, Resource: [STRIPE_SECRET_ID, STRIPE_WEBHOOK_SECRET_ID] };
const queues = queuesOf(serviceTemplate);
const RECEIPTS_ARN = { 'Fn::GetAtt': [queues.receipts.id, 'Arn'] };
const SCHEDULE_DEAD_LETTERS_ARN = { 'Fn::GetAtt': [queues.scheduleDeadLetters.id, 'Arn'] };
const RECEIPT_QUEUE_URL = { Ref: queues.receipts.id };
const send = { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: RECEIPTS_ARN };
const receive = {
  Effect: 'Allow',
  Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
  Resource: RECEIPTS_ARN,
};
const retention = { RETENTION_SECONDS: '86400' };
const always = { DOCS_BASE_URL };

/** Seconds, DynamoDB statements, Secrets Manager statements, environment. */
const EXPECTED: Record<string, [number, unknown[], unknown[], Record<string, unknown>]> = {
  'create-payment': [20, [claims], [stripe], { ...always, ...retention, TABLE_NAME, STRIPE_SECRET_ID }],
  'get-payment': [5, [read], [], { ...always, TABLE_NAME }],
  'get-key': [5, [read], [], { ...always, ...retention, TABLE_NAME }],
  docs: [3, [], [], { ...always, ...retention }],
  reconcile: [
    60,
    [query, claims],
    [stripe],
    { ...always, ...retention, TABLE_NAME, STRIPE_SECRET_ID, RECEIPT_QUEUE_URL, RECONCILE_GRACE_SECONDS: '60' },
  ],
  'payment-webhook': [
    20,
    [claims],
    [stripeAndWebhook],
    { ...always, ...retention, TABLE_NAME, STRIPE_SECRET_ID, STRIPE_WEBHOOK_SECRET_ID, RECEIPT_QUEUE_URL },
  ],
  'send-receipt': [30, [claims], [], { ...always, TABLE_NAME }],
};

/** Who may do what with the queue of receipts; the schedule's dead letters are the reconciler's too. */
const QUEUE_STATEMENTS: Record<string, unknown[]> = {
  reconcile: [send],
  'payment-webhook': [send],
  'send-receipt': [receive],
};

test('every function is known here', () => {
  expect(Object.keys(functions).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
});

describe.each(Object.entries(EXPECTED))('%s', (name, [seconds, dynamodb, secrets, environment]) => {
  const { properties, statements } = functions[name] ?? { properties: {}, statements: [] };

  test('runs on Node 24 on ARM and ends when it should', () => {
    expect(properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Timeout: seconds });
    expect(properties.MemorySize).toBeGreaterThanOrEqual(512);
  });

  // K3
  test('may do exactly this with the table', () => {
    expect(statementsFor('dynamodb', statements)).toEqual(dynamodb);
  });

  test('may do exactly this with the queue', () => {
    const toReceipts = statementsFor('sqs', statements).filter(
      ({ Resource }) => JSON.stringify(Resource) !== JSON.stringify(SCHEDULE_DEAD_LETTERS_ARN),
    );
    expect(toReceipts).toEqual(QUEUE_STATEMENTS[name] ?? []);
  });

  test('reads exactly these secrets', () => {
    expect(statementsFor('secretsmanager', statements)).toEqual(secrets);
  });

  test('finds these variables', () => {
    expect(properties.Environment?.Variables).toEqual(environment);
  });

  test('writes to a log group of its own that forgets', () => {
    const groups = serviceTemplate.findResources('AWS::Logs::LogGroup');

    expect(groups[properties.LoggingConfig.LogGroup.Ref]?.Properties.RetentionInDays).toBe(90);
  });
});

test('the tenant claim reaches the functions that have callers', () => {
  const told = Object.entries(tenanted).filter(([, { properties }]) => properties.Environment.Variables.TENANT_CLAIM);

  expect(told.map(([name]) => name).toSorted()).toEqual(['create-payment', 'get-key', 'get-payment']);
});

test("Stripe's own API is never replaced in the template", () => {
  expect(JSON.stringify(serviceTemplate.toJSON())).not.toContain('STRIPE_API_BASE');
});

test('no action and no resource that a policy allows is a wildcard', () => {
  const policies = [dataTemplate, serviceTemplate].flatMap((template) =>
    Object.values(template.findResources('AWS::IAM::Policy')),
  );
  const allowed: Statement[] = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);

  expect(allowed.length).toBeGreaterThan(0);
  expect(JSON.stringify(allowed)).not.toContain('*');
});

test('no role has a policy that somebody else may widen', () => {
  for (const { Properties } of Object.values(serviceTemplate.findResources('AWS::IAM::Role'))) {
    expect(Properties).not.toHaveProperty('ManagedPolicyArns');
  }
});

test('no concurrency is reserved: two reconciliations at once are harmless, and a new account has none to spare', () => {
  for (const { properties } of Object.values(functions)) {
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
  }
});

test('the reconciler runs every minute', () => {
  const { Properties } = only(serviceTemplate, 'AWS::Scheduler::Schedule').resource;

  expect(Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  expect(serviceTemplate.findResources('AWS::Lambda::Function')[Properties.Target.Arn['Fn::GetAtt'][0]]).toMatchObject({
    Metadata: { 'aws:cdk:path': 'Service/reconcile/Resource' },
  });
});

test('logs outlive a stack that is kept and go with a disposable one', () => {
  const policies = (disposable: boolean) => [
    ...new Set(
      Object.values(synthesise({ disposable }).serviceTemplate.findResources('AWS::Logs::LogGroup')).map(
        ({ DeletionPolicy }) => DeletionPolicy,
      ),
    ),
  ];

  expect(policies(false)).toEqual(['Retain']);
  expect(policies(true)).toEqual(['Delete']);
});
