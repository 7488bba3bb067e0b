import { describe, expect, test } from 'vitest';
import { jwtPrincipal, type PrincipalOptions, verifiedPrincipal } from '../../lib/http/principal.ts';
import { scopeOf } from '../../lib/idempotency/scope.ts';
import { apiEvent } from '../support/events.ts';
import { balancerEvent, type RestParts, restEvent, urlEvent } from './events.ts';

type Members = Readonly<Record<string, unknown>>;

/** Events whose front door says this about the caller, and nothing else. */
const v1 = (authorizer: Members | null, identity: Members = {}) => restEvent({ authorizer, identity } as RestParts);
const v2 = (authorizer: Members | undefined) => {
  const event = apiEvent({ claims: null });
  Object.assign(event.requestContext, { authorizer });
  return event;
};

const ROLE = 'arn:aws:sts::123456789012:assumed-role/checkout/session-1';

describe('a verified caller', () => {
  // C19
  test.each<[string, ReturnType<typeof v1> | ReturnType<typeof v2>, string]>([
    ['a token at an HTTP API', v2({ jwt: { claims: { sub: 's' } } }), 's'],
    ['a token at an HTTP API that sends format 1.0', v1({ claims: { sub: 's' }, scopes: null }), 's'],
    ['a Cognito user at a REST API', v1({ claims: { sub: 's' } }), 's'],
    ['a Lambda authorizer’s caller in format 1.0', v1({ principalId: 'p', integrationLatency: 1 }), '\0authorizer\0p'],
    ['a Lambda authorizer’s caller in format 2.0', v2({ lambda: { principalId: 'p' } }), '\0authorizer\0p'],
    ['a signer at a REST API', v1(null, { userArn: ROLE, caller: 'AROA:session-1' }), `\0iam\0${ROLE}`],
    ['a signer at an HTTP API or function URL', v2({ iam: { userArn: ROLE, callerId: 'A' } }), `\0iam\0${ROLE}`],
    ['a signer without an ARN in format 1.0', v1(null, { caller: 'AIDA1' }), '\0iam\0AIDA1'],
    ['a signer without an ARN in format 2.0', v2({ iam: { callerId: 'AIDA1' } }), '\0iam\0AIDA1'],
    [
      'an identity pool’s user in format 1.0',
      v1(null, { userArn: ROLE, cognitoIdentityId: 'eu:1' }),
      '\0cognito-identity\0eu:1',
    ],
    [
      'an identity pool’s user in format 2.0',
      v2({ iam: { userArn: ROLE, cognitoIdentity: { identityId: 'eu:1' } } }),
      '\0cognito-identity\0eu:1',
    ],
  ])('of any kind is found: %s', (_, event, subject) => {
    expect(verifiedPrincipal()(event)).toEqual({ subject });
  });

  // C19
  test.each<
    [string, ReturnType<typeof v1> | ReturnType<typeof v2> | ReturnType<typeof balancerEvent>, PrincipalOptions]
  >([
    ['no authorizer in format 1.0', v1(null), {}],
    ['no authorizer in format 2.0', v2(undefined), {}],
    ['a function URL that anybody may call', urlEvent({ claims: null }), {}],
    ['a token without a subject', v2({ jwt: { claims: {} } }), {}],
    ['an empty subject', v1({ claims: { sub: '' } }), {}],
    ['a subject that is no text', v2({ jwt: { claims: { sub: 7 } } }), {}],
    ['a token without a subject beside a signature', v1({ claims: {} }, { userArn: ROLE }), {}],
    ['a token that names itself another kind’s caller', v2({ jwt: { claims: { sub: `\0iam\0${ROLE}` } } }), {}],
    ['claims that are no members', v1({ claims: 'sub' }), {}],
    ['a Lambda authorizer that names nobody', v2({ lambda: { plan: 'gold' } }), {}],
    ['no tenant where one is configured', v2({ jwt: { claims: { sub: 's' } } }), { tenantClaim: 'tenant' }],
    ['an empty tenant where one is configured', v1({ principalId: 'p', tenant: '' }), { tenantClaim: 'tenant' }],
    ['a signer where a tenant is configured', v2({ iam: { userArn: ROLE } }), { tenantClaim: 'tenant' }],
    ['a load balancer', balancerEvent(), {}],
    [
      'a load balancer’s own token, which anybody can send who reaches the function another way',
      balancerEvent({ headers: { 'x-amzn-oidc-data': ['e30.e30.x'], 'x-amzn-oidc-identity': ['alice'] } }),
      {},
    ],
  ])('is nobody with %s', (_, event, options) => {
    expect(verifiedPrincipal(options)(event)).toBeUndefined();
  });

  test('is named by the members that are configured, and has its tenant', () => {
    const options = { subjectClaim: 'client_id', authorizerMember: 'user', tenantClaim: 'org' };
    const find = verifiedPrincipal(options);
    expect(find(v2({ jwt: { claims: { sub: 's', client_id: 'c', org: 'o' } } }))).toEqual({
      tenant: 'o',
      subject: 'c',
    });
    expect(find(v2({ lambda: { principalId: 'p', user: 'u', org: 'o' } }))).toEqual({
      tenant: 'o',
      subject: '\0authorizer\0u',
    });
    expect(find(v1({ principalId: 'p', user: 'u', org: 'o' }))).toEqual({ tenant: 'o', subject: '\0authorizer\0u' });
  });

  // C19
  test('never has a tenant or a name from what a client can send', () => {
    const event = apiEvent({ claims: { sub: 's' }, headers: { 'x-tenant': 'o', org: 'o', 'x-principal': 'p' } });
    expect(verifiedPrincipal()(event)).toEqual({ subject: 's' });
    expect(verifiedPrincipal({ tenantClaim: 'org' })(event)).toBeUndefined();
  });

  // C19, C20
  test('of one kind shares no scope with one of another who has the same name', () => {
    const events = [
      v2({ jwt: { claims: { sub: ROLE } } }),
      v2({ iam: { userArn: ROLE } }),
      v2({ lambda: { principalId: ROLE } }),
    ];
    const scopes = events.map((event) => {
      const principal = verifiedPrincipal()(event);
      if (principal === undefined) throw new Error('There is one.');
      return scopeOf(principal);
    });
    expect(new Set(scopes).size).toBe(3);
    expect(scopes[0]).toBe(scopeOf({ subject: ROLE }));
  });
});

describe('a caller by token only', () => {
  test('is read from verified claims of both formats, with the tenant', () => {
    const claims = { sub: 's', tenant: 't' };
    expect(jwtPrincipal('tenant')(v2({ jwt: { claims } }))).toEqual({ tenant: 't', subject: 's' });
    expect(jwtPrincipal('tenant')(v1({ claims }))).toEqual({ tenant: 't', subject: 's' });
    expect(jwtPrincipal()(v2({ jwt: { claims } }))).toEqual({ subject: 's' });
  });

  test('is nobody with another kind of authorizer', () => {
    expect(jwtPrincipal()(v2({ lambda: { sub: 's', principalId: 'p' } }))).toBeUndefined();
    expect(jwtPrincipal()(v1({ principalId: 'p' }))).toBeUndefined();
  });
});
