import type { Outcome } from '../lambda/outcome.ts';
import { isObject, type JsonObject } from '../template/json.ts';
import { gatewayReply, type HttpReply } from './http-reply.ts';

/** The gateway writes these itself, and a connection's own headers are not the function's to set. */
const GATEWAY_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** What an HTTP API answers for an invocation that ended so. */
export function functionReply(outcome: Outcome): HttpReply {
  switch (outcome.kind) {
    case 'returned':
      return replyOf(JSON.parse(outcome.payload)) ?? internalServerError();
    case 'throttled':
      return serviceUnavailable();
    case 'threw':
    case 'init-failed':
    case 'timed-out':
    case 'exited':
    case 'response-too-large':
      return internalServerError();
    default:
      return outcome satisfies never;
  }
}

/**
 * The integration took longer than the gateway waits, or nobody was free to take the request.
 *
 * HTTP APIs answer 503 with this text; 504 with "Endpoint request timed out" is how REST APIs say it.
 */
export function serviceUnavailable(): HttpReply {
  return gatewayReply(503, 'Service Unavailable');
}

function internalServerError(): HttpReply {
  return gatewayReply(500, 'Internal Server Error');
}

/** Undefined when the result has the form of a response and yet is none. */
function replyOf(result: unknown): HttpReply | undefined {
  if (!isObject(result) || result['statusCode'] === undefined) {
    const body = typeof result === 'string' ? result : JSON.stringify(result);
    return { status: 200, headers: [['content-type', 'application/json']], body };
  }
  const status = Number(result['statusCode']);
  const body = decodeBody(result);
  const headers = readHeaders(result);
  if (!Number.isInteger(status) || status < 200 || status > 599 || body === undefined || !headers) return undefined;
  const typed = headers.some(([name]) => name === 'content-type');
  return {
    status,
    headers: typed || body.length === 0 ? headers : [...headers, ['content-type', 'text/plain;charset=UTF-8']],
    body,
  };
}

function decodeBody({ body = '', isBase64Encoded }: JsonObject): Buffer | undefined {
  if (body === null) return Buffer.alloc(0);
  if (typeof body !== 'string') return undefined;
  return Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
}

function readHeaders({ headers = {}, cookies = [] }: JsonObject): [string, string][] | undefined {
  if (!isObject(headers) || !Array.isArray(cookies)) return undefined;
  const own = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), String(value)]);
  const all = [...own, ...cookies.map((cookie): [string, string] => ['set-cookie', String(cookie)])];
  if (all.some(([name, value]) => !isHeader(name, value))) return undefined;
  return all.filter(([name]) => !GATEWAY_HEADERS.has(name));
}

/** RFC 9110: a token, and a value without control characters. */
function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
