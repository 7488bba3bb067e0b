import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { IdempotencyTable } from '../constructs/idempotency-table.ts';
import { JobQueue } from '../constructs/job-queue.ts';
import { Reconciler } from '../constructs/reconciler.ts';
import { type JwtIssuer, ServiceApi } from '../constructs/service-api.ts';
import { type Environment, ServiceFunction, type ServiceFunctionProps } from '../constructs/service-function.ts';
import { ENV } from '../contract/environment.ts';

export interface ServiceStackProps extends StackProps {
  readonly table: IdempotencyTable;

  /** Secret that holds Stripe's secret key as plain text. */
  readonly stripeSecretArn: string;

  /** Secret that holds the signing secret of Stripe's webhook endpoint as plain text. */
  readonly webhookSecretArn: string;

  readonly jwt: JwtIssuer;

  /**
   * The JWT claim that names a caller's tenant.
   *
   * @default - callers have no tenant; `sub` alone tells them apart
   */
  readonly tenantClaim?: string;

  /**
   * Origins whose pages may call the API; `*` is every origin.
   *
   * @default - no CORS
   */
  readonly corsOrigins?: readonly string[];

  /**
   * Whether the logs may be deleted with the stack.
   *
   * @default false
   */
  readonly disposable?: boolean;
}

/** Stripe keeps keys for at least as long, so a key that we still know is never new to the provider. */
const RETENTION = Duration.hours(24);

/** Stripe's lists lag behind its charges by seconds; an absent charge is believed after a minute. */
const GRACE = Duration.minutes(1);

/** What runs and can be made again at any time: the functions, the HTTP API, the queue and the schedule. */
export class ServiceStack extends Stack {
  readonly #props: ServiceStackProps;
  readonly #api: ServiceApi;

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#api = new ServiceApi(this, 'Http', {
      jwt: props.jwt,
      corsOrigins: props.corsOrigins ?? [],
      disposable: props.disposable ?? false,
    });
    this.#payments();
    this.#keys();
    this.#docs();
    const receipts = this.#receipts();
    this.#webhook(receipts);
    this.#reconciler(receipts);
    new CfnOutput(this, 'ApiUrl', { value: this.#api.url });
  }

  #payments(): void {
    const createPayment = this.#function('create-payment', {
      description: 'POST /payments',
      // Two calls of the provider and the settlement fit in, and the gateway still hears the answer.
      timeout: Duration.seconds(20),
      memorySize: 1024,
      environment: { ...this.#table, ...this.#retention, ...this.#stripe, ...this.#tenant },
    });
    this.#props.table.grantClaims(createPayment);
    this.#grantSecrets(createPayment, [this.#props.stripeSecretArn]);
    this.#api.addRoute(HttpMethod.POST, '/payments', createPayment);

    const getPayment = this.#function('get-payment', {
      description: 'GET /payments/{id}',
      timeout: Duration.seconds(5),
      environment: { ...this.#table, ...this.#tenant },
    });
    this.#props.table.grantRead(getPayment);
    this.#api.addRoute(HttpMethod.GET, '/payments/{id}', getPayment);
  }

  #keys(): void {
    const getKey = this.#function('get-key', {
      description: 'GET /idempotency-keys/{key}',
      timeout: Duration.seconds(5),
      environment: { ...this.#table, ...this.#retention, ...this.#tenant },
    });
    this.#props.table.grantRead(getKey);
    // Greedy: keys may hold a slash, which the gateway decodes before it looks for a route.
    this.#api.addRoute(HttpMethod.GET, '/idempotency-keys/{key+}', getKey);
  }

  #docs(): void {
    const docs = this.#function('docs', {
      description: 'GET /problems and GET /problems/{code}',
      timeout: Duration.seconds(3),
      environment: this.#retention,
    });
    const reason =
      'Public documentation: every problem type resolves to it, also for a client whose token was refused.';
    this.#api.addOpenRoute(HttpMethod.GET, '/problems', docs, reason);
    this.#api.addOpenRoute(HttpMethod.GET, '/problems/{code}', docs, reason);
  }

  #receipts(): JobQueue {
    const consumer = this.#function('send-receipt', {
      description: 'Sends the receipts whose jobs are queued',
      // A batch of ten, each of which is usually one call to a mail service.
      timeout: Duration.seconds(30),
      environment: this.#table,
    });
    this.#props.table.grantClaims(consumer);
    return new JobQueue(this, 'Receipts', { consumer, disposable: this.#props.disposable ?? false });
  }

  #webhook(receipts: JobQueue): void {
    const target = this.#function('payment-webhook', {
      description: 'POST /webhooks/stripe',
      // Two look-ups at the provider and a receipt's job fit in, and the gateway still hears the answer.
      timeout: Duration.seconds(20),
      environment: {
        ...this.#table,
        ...this.#retention,
        ...this.#stripe,
        ...receiptsOf(receipts),
        [ENV.webhookSecretId]: this.#props.webhookSecretArn,
      },
    });
    this.#props.table.grantClaims(target);
    this.#grantSecrets(target, [this.#props.stripeSecretArn, this.#props.webhookSecretArn]);
    receipts.grantSend(target);
    const reason = 'Stripe has no token of ours: its signature over the body is verified before anything else.';
    this.#api.addOpenRoute(HttpMethod.POST, '/webhooks/stripe', target, reason);
  }

  #reconciler(receipts: JobQueue): void {
    const target = this.#function('reconcile', {
      description: 'Settles the claims and moves on the payments that are due',
      timeout: Duration.seconds(60),
      environment: {
        ...this.#table,
        ...this.#retention,
        ...this.#stripe,
        ...receiptsOf(receipts),
        [ENV.graceSeconds]: String(GRACE.toSeconds()),
      },
    });
    this.#props.table.grantReconcile(target);
    this.#grantSecrets(target, [this.#props.stripeSecretArn]);
    receipts.grantSend(target);
    new Reconciler(this, 'Reconciler', { target });
  }

  #function(id: string, props: ServiceFunctionProps): ServiceFunction {
    return new ServiceFunction(this, id, {
      ...props,
      disposable: this.#props.disposable ?? false,
      environment: { ...props.environment, [ENV.docsBase]: this.#api.url },
    });
  }

  #grantSecrets(grantee: IGrantable, resources: string[]): void {
    const statement = new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources });
    grantee.grantPrincipal.addToPrincipalPolicy(statement);
  }

  get #table(): Environment {
    return { [ENV.tableName]: this.#props.table.tableName };
  }

  get #retention(): Environment {
    return { [ENV.retentionSeconds]: String(RETENTION.toSeconds()) };
  }

  get #stripe(): Environment {
    return { [ENV.stripeSecretId]: this.#props.stripeSecretArn };
  }

  get #tenant(): Environment {
    const claim = this.#props.tenantClaim;
    return claim === undefined ? {} : { [ENV.tenantClaim]: claim };
  }
}

function receiptsOf({ queue }: JobQueue): Environment {
  return { [ENV.receiptQueueUrl]: queue.queueUrl };
}
