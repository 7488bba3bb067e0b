import { CfnOutput, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { IdempotencyTable } from '../constructs/idempotency-table.ts';
import { MachineUsers } from '../constructs/machine-users.ts';
import type { JwtIssuer } from '../constructs/service-api.ts';

export interface DataStackProps extends StackProps {
  /**
   * Whether what the stack holds may be deleted with it.
   *
   * @default false
   */
  readonly disposable?: boolean;

  /**
   * Who signs the callers' tokens.
   *
   * @default - a Cognito user pool with a machine client
   */
  readonly jwt?: JwtIssuer;
}

/**
 * What must outlive a deployment: the claims, the provider's secrets and the callers' identities.
 *
 * To move from the pool to an issuer of your own, deploy the service stack first and alone
 * (`cdk deploy Service --exclusively`): it still uses the pool that this stack would take away.
 */
export class DataStack extends Stack {
  readonly table: IdempotencyTable;
  /** Holds Stripe's secret key as plain text. */
  readonly stripeSecretArn: string;
  /** Holds the signing secret of Stripe's webhook endpoint as plain text. */
  readonly webhookSecretArn: string;
  readonly jwt: JwtIssuer;

  constructor(scope: Construct, id: string, props: DataStackProps = {}) {
    super(scope, id, props);
    const disposable = props.disposable ?? false;
    this.table = new IdempotencyTable(this, 'Claims', { disposable });
    this.stripeSecretArn = this.#secret('StripeSecret', "Stripe's secret key, as plain text", disposable);
    const signing = "Signing secret of Stripe's webhook endpoint, as plain text";
    this.webhookSecretArn = this.#secret('StripeWebhookSecret', signing, disposable);
    this.jwt = props.jwt ?? this.#machineUsers(disposable);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
  }

  /** A secret that only Stripe can issue, and its ARN as an output of the stack. */
  #secret(id: string, description: string, disposable: boolean): string {
    const secret = new Secret(this, id, {
      description,
      // A placeholder until the operator puts the real one in. Never change it: CloudFormation would generate a new one over it.
      generateSecretString: { excludePunctuation: true },
      removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Only Stripe can issue it: it is rolled in their dashboard and put here by the operator.',
    });
    new CfnOutput(this, `${id}Arn`, { value: secret.secretArn });
    return secret.secretArn;
  }

  #machineUsers(disposable: boolean): JwtIssuer {
    const users = new MachineUsers(this, 'Users', {
      domainPrefix: `${this.stackName.toLowerCase()}-${this.account}`,
      disposable,
    });
    new CfnOutput(this, 'TokenUrl', { value: users.tokenUrl });
    new CfnOutput(this, 'ClientId', { value: users.client.userPoolClientId });
    return users.jwt;
  }
}
