import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface ReconcilerProps {
  /** The function that settles what is due; it must bear to run twice at once. */
  readonly target: IFunction;

  /**
   * Time between two runs: whole minutes.
   *
   * @default Duration.minutes(1)
   */
  readonly every?: Duration;
}

/** Deliveries tried again within the age below; then the next run does the work. */
const DELIVERY_RETRIES = 2;

/** The least that EventBridge Scheduler accepts: an older run is of no use, for the next one has come. */
const MAX_EVENT_AGE = Duration.seconds(60);

/** SQS's longest: time to look at what failed over a holiday. */
const DEAD_LETTER_RETENTION = Duration.days(14);

/**
 * Runs a function on a schedule so that no open claim waits for its client to come back.
 *
 * A run that could not be delivered, and a run that failed, both end in `deadLetters`. Neither is repeated for long:
 * the schedule itself is the retry, and a backlog of old runs would only take the place of the fresh one.
 *
 * @example
 * new Reconciler(this, 'Reconciler', { target: reconcile });
 */
export class Reconciler extends Construct {
  /** What could not be run; a message here means that open claims may be waiting. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: ReconcilerProps) {
    super(scope, id);
    const { target } = props;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: "This is a dead-letter queue: the schedule's and the function's, which the rule does not look at.",
    });

    // Scheduler hands the event over and leaves; what the function then throws is Lambda's to route.
    target.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: MAX_EVENT_AGE,
      onFailure: new SqsDestination(this.deadLetters),
    });

    new Schedule(this, 'Schedule', {
      schedule: ScheduleExpression.rate(props.every ?? Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(target, {
        // The target would add every version of the function to the role; what the role holds is exact.
        role: this.#role(target).withoutPolicyUpdates(),
        deadLetterQueue: this.deadLetters,
        retryAttempts: DELIVERY_RETRIES,
        maxEventAge: MAX_EVENT_AGE,
      }),
    });
  }

  #role(target: IFunction): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }));
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }));
    return role;
  }
}
