import { describe, expect, test } from 'vitest';
import { ContextError, readContext, type Settings } from '../../lib/stacks/context.ts';

type Context = Record<string, unknown>;

const read = (context: Context) => readContext((name) => context[name]);

describe('a context that is right', () => {
  test.each<[string, Context, Settings]>([
    ['nothing is dev, open to every origin', {}, { stage: 'dev', corsOrigins: ['*'] }],
    [
      'empty values are unset ones',
      { stage: '', jwtIssuer: '', corsOrigins: '' },
      { stage: 'dev', corsOrigins: ['*'] },
    ],
    ['prod is open to no origin until one is named', { stage: 'prod' }, { stage: 'prod', corsOrigins: [] }],
    ['prod may be opened to all', { stage: 'prod', corsOrigins: '*' }, { stage: 'prod', corsOrigins: ['*'] }],
    ['dev may be closed', { corsOrigins: 'off' }, { stage: 'dev', corsOrigins: [] }],
    [
      'lists are told apart by commas',
      {
        corsOrigins: 'https://shop.example, http://localhost:8080',
        jwtIssuer: 'https://id.example/',
        jwtAudience: 'a,b',
      },
      {
        stage: 'dev',
        corsOrigins: ['https://shop.example', 'http://localhost:8080'],
        jwt: { issuer: 'https://id.example/', audience: ['a', 'b'] },
      },
    ],
    [
      'a claim may have the name of a URL',
      { tenantClaim: 'https://id.example/org' },
      { stage: 'dev', corsOrigins: ['*'], tenantClaim: 'https://id.example/org' },
    ],
  ])('%s', (_, context, settings) => {
    expect(read(context)).toEqual(settings);
  });
});

describe('a context that cannot be meant is refused by its name', () => {
  test.each<[Context, string]>([
    [{ stage: 'production' }, 'Context stage is dev or prod, not "production".'],
    [{ stage: 7 }, 'Context stage is a string, not 7.'],
    [{ corsOrigins: ['*'] }, 'Context corsOrigins is a string, not ["*"].'],
    [{ jwtIssuer: 'https://id.example' }, 'Context jwtAudience is needed together with jwtIssuer.'],
    [{ jwtIssuer: 'https://id.example', jwtAudience: ' , ' }, 'Context jwtAudience is needed together with jwtIssuer.'],
    [{ jwtAudience: 'a' }, 'Context jwtIssuer is needed together with jwtAudience.'],
    ...['http://id.example', 'id.example', 'https://id.example?x=1', 'https://id.example#x'].map(
      (jwtIssuer): [Context, string] => [
        { jwtIssuer, jwtAudience: 'a' },
        `Context jwtIssuer is an https URL without query and fragment, not "${jwtIssuer}".`,
      ],
    ),
    [{ tenantClaim: 'my org' }, 'Context tenantClaim is the name of a JWT claim without spaces, not "my org".'],
    ...['https://shop.example/', 'shop.example', '*', 'off', 'null'].map((origin): [Context, string] => [
      { corsOrigins: `https://other.example,${origin}` },
      `Context corsOrigins lists origins such as https://shop.example (or is * or off), not "${origin}".`,
    ]),
  ])('%j', (context, message) => {
    expect(() => read(context)).toThrow(ContextError);
    expect(() => read(context)).toThrow(message);
  });
});
