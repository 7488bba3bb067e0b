import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../../lib/local/template/assembly.ts';
import type { Json } from '../../../lib/local/template/json.ts';
import { localNames } from '../../../lib/local/template/local-values.ts';
import { readService } from '../../../lib/local/template/read-service.ts';
import { assemblyOf, lambda } from '../assembly-of.ts';

const read = (resources: Record<string, Json>) =>
  readService(
    readAssembly(assemblyOf(resources)),
    localNames({ region: 'eu-north-1', apiUrl: 'http://api', queuesUrl: 'http://127.0.0.1:4000' }),
  );

const queue = (Properties: Record<string, Json> = {}): Json => ({ Type: 'AWS::SQS::Queue', Properties });
const mapping = (Properties: Record<string, Json> = {}): Json => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] }, FunctionName: { Ref: 'Send' }, ...Properties },
});

describe('the queues of a template', () => {
  it('have the time-outs, the order and the dead letters that it gives them', () => {
    const { queues } = read({
      Jobs: queue({
        FifoQueue: true,
        ContentBasedDeduplication: true,
        VisibilityTimeout: 60,
        DelaySeconds: 5,
        ReceiveMessageWaitTimeSeconds: 20,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 3 },
      }),
      Dead: queue({ QueueName: 'dead.fifo', FifoQueue: true }),
    });
    expect(queues).toEqual([
      {
        name: 'One-Jobs.fifo',
        arn: 'arn:aws:sqs:eu-north-1:000000000000:One-Jobs.fifo',
        url: 'http://127.0.0.1:4000/000000000000/One-Jobs.fifo',
        fifo: true,
        contentBasedDeduplication: true,
        visibilityMs: 60_000,
        delayMs: 5000,
        waitMs: 20_000,
        redrive: { deadLetterArn: 'arn:aws:sqs:eu-north-1:000000000000:dead.fifo', receiveCountMax: 3 },
      },
      expect.objectContaining({ name: 'dead.fifo', visibilityMs: 30_000, redrive: undefined }),
    ]);
  });

  it('are known to functions by URL, ARN and name', () => {
    const { functions } = read({
      Jobs: queue(),
      Send: lambda('send', {
        Environment: {
          Variables: {
            URL: { Ref: 'Jobs' },
            ARN: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
            NAME: { 'Fn::GetAtt': ['Jobs', 'QueueName'] },
          },
        },
      }),
    });
    expect(functions[0]?.environment).toEqual({
      URL: 'http://127.0.0.1:4000/000000000000/One-Jobs',
      ARN: 'arn:aws:sqs:eu-north-1:000000000000:One-Jobs',
      NAME: 'One-Jobs',
    });
  });

  it('invoke the functions that are mapped to them', () => {
    const { eventSources } = read({
      Jobs: queue(),
      Send: lambda('send'),
      Plain: mapping(),
      Full: mapping({
        FunctionName: { 'Fn::GetAtt': ['Send', 'Arn'] },
        BatchSize: 5,
        MaximumBatchingWindowInSeconds: 2,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 3 },
        Enabled: true,
      }),
      Off: mapping({ Enabled: false }),
    });
    const both = { queueArn: 'arn:aws:sqs:eu-north-1:000000000000:One-Jobs', functionId: 'send' };
    expect(eventSources).toEqual([
      { ...both, batchSize: 10, windowMs: 0, reportsFailures: false, concurrencyMax: undefined },
      { ...both, batchSize: 5, windowMs: 2000, reportsFailures: true, concurrencyMax: 3 },
    ]);
  });

  it.each<[string, Record<string, Json>]>([
    ['queue jobs is FIFO or ends in .fifo, but not both', { Jobs: queue({ QueueName: 'jobs', FifoQueue: true }) }],
    [
      'has a dead-letter queue that the app does not hold',
      { Jobs: queue({ RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:x:1:other', maxReceiveCount: 1 } }) },
    ],
    ['event source mapping Map is of no queue', { Send: lambda('send'), Map: mapping({ EventSourceArn: 'arn:x' }) }],
    [
      'event source mapping Map has a filter',
      { Jobs: queue(), Send: lambda('send'), Map: mapping({ FilterCriteria: { Filters: [] } }) },
    ],
  ])('are refused when they cannot be served: %s', (reason, resources) => {
    expect(() => read(resources)).toThrow(reason);
  });
});
