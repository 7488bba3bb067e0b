import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { JwtIssuer } from './service-api.ts';

export interface MachineUsersProps {
  /** First label of the token endpoint's host: unique in the Region, lower case, at most 63 characters. */
  readonly domainPrefix: string;

  /**
   * Whether the pool and its client may be deleted with the stack.
   *
   * @default false
   */
  readonly disposable?: boolean;
}

const RESOURCE_SERVER = 'chipta';
const SCOPE = { scopeName: 'payments', scopeDescription: 'Make payments and look them up' };

/**
 * A Cognito user pool without people: one client that gets tokens for itself by its id and secret.
 *
 * The principal of such a token is the client (`sub` = client id), so the pool belongs to the state: a new client is a
 * new principal, which sees none of the old one's keys.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-define-resource-servers.html
 */
export class MachineUsers extends Construct {
  readonly jwt: JwtIssuer;
  readonly client: UserPoolClient;
  /** Where the client exchanges its id and secret for a token. */
  readonly tokenUrl: string;

  constructor(scope: Construct, id: string, props: MachineUsersProps) {
    super(scope, id);
    const pool = new UserPool(this, 'Pool', {
      selfSignUpEnabled: false,
      accountRecovery: AccountRecovery.NONE,
      // Nobody signs in here. Should an operator add a person, that person needs a second factor.
      mfa: Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 16,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      deletionProtection: !props.disposable,
      removalPolicy: props.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    Validations.of(pool).acknowledge({
      id: 'AwsSolutions-COG8',
      reason: 'Threat protection of the Plus plan judges the sign-ins of people; client credentials pass it by.',
    });
    const server = pool.addResourceServer('Server', { identifier: RESOURCE_SERVER, scopes: [SCOPE] });
    this.client = pool.addClient('Client', {
      generateSecret: true,
      oAuth: { flows: { clientCredentials: true }, scopes: [OAuthScope.resourceServer(server, SCOPE)] },
    });
    const domain = new UserPoolDomain(this, 'Domain', {
      userPool: pool,
      cognitoDomain: { domainPrefix: props.domainPrefix },
    });
    this.tokenUrl = `${domain.baseUrl()}/oauth2/token`;
    // Cognito's access tokens have no `aud`; API Gateway then compares `client_id`.
    this.jwt = { issuer: pool.userPoolProviderUrl, audience: [this.client.userPoolClientId] };
  }
}
