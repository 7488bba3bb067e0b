import { join } from 'node:path';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { ENV } from '../contract/environment.ts';

export type Environment = Readonly<Partial<Record<(typeof ENV)[keyof typeof ENV], string>>>;

export interface ServiceFunctionProps {
  /** Lambda kills the function after it; behind the gateway it must end before the gateway gives up. */
  readonly timeout: Duration;

  readonly description: string;

  /**
   * In MiB; the share of a processor grows with it.
   *
   * @default 512
   */
  readonly memorySize?: number;

  /**
   * Variables by the names of the contract, so that a misspelt one does not compile.
   *
   * @default - none
   */
  readonly environment?: Environment;

  /**
   * The most invocations that run at once.
   *
   * @default - what the account has left
   */
  readonly reservedConcurrentExecutions?: number;

  /** @default RetentionDays.THREE_MONTHS */
  readonly logRetention?: RetentionDays;

  /**
   * Whether the logs may be deleted with the stack.
   *
   * @default false
   */
  readonly disposable?: boolean;

  /**
   * The folder that holds `functions/` and `package-lock.json`.
   *
   * @default - the working directory, which is where the CDK runs the app of its cdk.json
   */
  readonly projectRoot?: string;
}

const MEMORY_MIB = 512;

/**
 * A Lambda function whose code is `functions/<id>/handler.ts`, which exports `handler`.
 *
 * The id **is** the folder's name: the local run reads it back from the template's `aws:cdk:path` metadata.
 * The function has a role and a log group of its own, and may do nothing but write to that log group until granted more.
 *
 * @example
 * new ServiceFunction(this, 'get-payment', { description: 'GET /payments/{id}', timeout: Duration.seconds(5) });
 */
export class ServiceFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const projectRoot = props.projectRoot ?? process.cwd();
    const logGroup = new LogGroup(scope, `${id}-logs`, {
      retention: props.logRetention ?? RetentionDays.THREE_MONTHS,
      removalPolicy: props.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    // A role of our own, because the one that CDK would make may write to every log group of the account.
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);

    super(scope, id, {
      description: props.description,
      entry: join(projectRoot, 'functions', id, 'handler.ts'),
      projectRoot,
      depsLockFilePath: join(projectRoot, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memorySize ?? MEMORY_MIB,
      role,
      logGroup,
      environment: { ...props.environment },
      ...(props.reservedConcurrentExecutions === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrentExecutions }),
      // Its variable is read by the second version of the SDK only.
      awsSdkConnectionReuse: false,
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'],
        minify: true,
        // Names in traces without a source map: reading one at run time costs some 100 ms of every cold start.
        keepNames: true,
        logLevel: LogLevel.WARNING,
        // The SDK that was tested is the one that runs, and it loads faster than the runtime's.
        bundleAwsSDK: true,
      },
    });
  }
}
