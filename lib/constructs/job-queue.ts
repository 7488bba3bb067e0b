import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface JobQueueProps {
  /** The function that works the jobs off; it must dedupe them and report partial batch failures. */
  readonly consumer: LambdaFunction;

  /**
   * Whether the queues and what is in them may be deleted with the stack.
   *
   * @default false
   */
  readonly disposable?: boolean;
}

/**
 * AWS's advice: with less, a message comes back while the function still works on it or waits for its turn.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const VISIBILITY_FACTOR = 6;

/** Lambda's own, where a function names none. */
const LAMBDA_TIMEOUT_DEFAULT = Duration.seconds(3);

/** Also AWS's advice: fewer would put messages that were only throttled among the dead letters. */
const RECEIVES_MAX = 5;

/** SQS's longest: time to look at what failed over a holiday. */
const DEAD_LETTER_RETENTION = Duration.days(14);

/** A batch shares one invocation's time, so it is small. */
const BATCH_SIZE = 10;

/** A backlog of jobs must not take the environments that payments need. */
const CONCURRENCY_MAX = 10;

/**
 * A queue of jobs, the function that works them off, and the dead letters of what it could not.
 *
 * @example
 * const receipts = new JobQueue(this, 'Receipts', { consumer: sendReceipt });
 * receipts.grantSend(webhook);
 */
export class JobQueue extends Construct {
  readonly queue: Queue;
  /** Jobs that failed five times; a message here waits for a person. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: JobQueueProps) {
    super(scope, id);
    const { consumer } = props;
    const { timeout = LAMBDA_TIMEOUT_DEFAULT } = consumer;
    const held = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: props.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...held, retentionPeriod: DEAD_LETTER_RETENTION });
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is a dead-letter queue.',
    });
    this.queue = new Queue(this, 'Queue', {
      ...held,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * timeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: RECEIVES_MAX },
    });

    const receive = this.#grant(consumer, ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']);
    const mapping = new EventSourceMapping(this, 'Mapping', {
      target: consumer,
      eventSourceArn: this.queue.queueArn,
      batchSize: BATCH_SIZE,
      maxConcurrency: CONCURRENCY_MAX,
      reportBatchItemFailures: true,
    });
    // Lambda refuses a mapping whose function may not receive yet.
    receive.applyBefore(mapping);
  }

  /** Lets a function queue jobs, and nothing else. */
  grantSend(grantee: IGrantable): Grant {
    return this.#grant(grantee, ['sqs:SendMessage']);
  }

  #grant(grantee: IGrantable, actions: string[]): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.queue.queueArn] });
  }
}
