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
 * What must outlive a deployment: the claims, the provider's key and the callers' identities.
 *
 * To move from the pool to an issuer of your own, deploy the service stack first and alone
 * (`cdk deploy Service --exclusively`): it still uses the pool that this stack would take away.
 */
export class DataStack extends Stack {
  readonly table: IdempotencyTable;
  /** Holds Stripe's secret key as plain text. */
  readonly stripeSecretArn: string;
  readonly jwt: JwtIssuer;

  constructor(scope: Construct, id: string, props: DataStackProps = {}) {
    super(scope, id, props);
    const disposable = props.disposable ?? false;
    this.table = new IdempotencyTable(this, 'Claims', { disposable });
    this.stripeSecretArn = this.#stripeSecret(disposable).secretArn;
    this.jwt = props.jwt ?? this.#machineUsers(disposable);
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
  }

  #stripeSecret(disposable: boolean): Secret {
    const secret = new Secret(this, 'StripeSecret', {
      description: "Stripe's secret key, as plain text",
      // A placeholder until the operator puts the key in. Never change it: CloudFormation would generate a new one over the key.
      generateSecretString: { excludePunctuation: true },
      removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Only Stripe can issue its key: it is rolled in their dashboard and put here by the operator.',
    });
    new CfnOutput(this, 'StripeSecretArn', { value: secret.secretArn });
    return secret;
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
