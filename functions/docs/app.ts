import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { PROBLEMS, type ProblemType } from '../../lib/idempotency/problems.ts';
import { PAYMENT_PROBLEMS } from '../../lib/payments/problems.ts';
import { escapeHtml, page } from './page.ts';

const TYPES: readonly ProblemType[] = [...Object.values(PROBLEMS), ...Object.values(PAYMENT_PROBLEMS)];

const RETRY_ADVICE = {
  'same-key': 'Temporary: send the same request with the same key again.',
  'new-key': 'Final for this key: a new attempt needs a new key.',
  no: 'Final: sending it again will not help.',
} as const;

/** One day: the pages change with deployments only. */
const MAX_AGE_SECONDS = 86_400;

/** `GET /problems` and `GET /problems/{code}`: the documentation that every problem's `type` resolves to. */
export function createHandler({ retentionMs }: { readonly retentionMs: number }) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>().handler((event) => {
    const code = event.pathParameters?.['code'];
    if (code === undefined) return html(200, page('Problems', index(retentionMs)));
    const type = TYPES.find((candidate) => candidate.code === code);
    if (type !== undefined) return html(200, page(type.title, describe(type)));
    const unknown = `<p>There is no problem called <code>${escapeHtml(code)}</code>.</p>`;
    return html(404, page('Unknown problem', `${unknown}${index(retentionMs)}`));
  });
}

const html = (statusCode: number, body: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` },
  body,
});

const describe = ({ code, status, retry, explanation }: ProblemType): string => `
  <p><code>${code}</code> · status ${status} · retry <code>${retry}</code></p>
  <p>${escapeHtml(explanation)}</p>
  <p>${RETRY_ADVICE[retry]}</p>`;

const index = (retentionMs: number): string => `
  <p>Keys are 1 to 255 visible ASCII characters in <code>Idempotency-Key</code>, bare or as a quoted String of RFC 9651.
  A finished key is remembered for ${retentionMs / 1000} seconds after its answer became final; a key whose outcome is
  open is never forgotten.</p>
  <ul>${TYPES.map(({ code, status, title }) => `<li>${status} <a href="/problems/${code}">${code}</a>: ${escapeHtml(title)}</li>`).join('\n')}</ul>`;
