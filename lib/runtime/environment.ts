import { ENV } from '../contract/environment.ts';
import { MisuseError } from '../idempotency/errors.ts';
import { systemAmbient } from './ambient.ts';
import { cachedSecret } from './secret.ts';

type Name = (typeof ENV)[keyof typeof ENV];

/** The stack that made the function has set it, so its absence is a fault of the set-up. */
function required(name: Name): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new MisuseError(`The environment variable ${name} is not set.`);
  return value;
}

function secondsAsMs(name: Name): number {
  const value = required(name);
  if (!/^\d{1,9}$/.test(value)) throw new MisuseError(`${name} must be a whole number of seconds; it is "${value}".`);
  return Number(value) * 1_000;
}

const optional = <K extends string>(member: K, name: Name): { readonly [M in K]?: string } => {
  const value = process.env[name];
  // The one member that the return type allows.
  return value === undefined || value === '' ? {} : ({ [member]: value } as { readonly [M in K]?: string });
};

const secret = (name: Name) => cachedSecret(required(name), systemAmbient.now);

export const readTable = () => ({ tableName: required(ENV.tableName) });
export const readDocs = () => ({ docsBase: required(ENV.docsBase).replace(/\/+$/, '') });
export const readRetention = () => ({ retentionMs: secondsAsMs(ENV.retentionSeconds) });
export const readGrace = () => ({ graceMs: secondsAsMs(ENV.graceSeconds) });
export const readTenantClaim = () => optional('tenantClaim', ENV.tenantClaim);
export const readReceiptQueue = () => ({ queueUrl: required(ENV.receiptQueueUrl) });
export const readStripe = () => ({ secret: secret(ENV.stripeSecretId), ...optional('apiBase', ENV.stripeApiBase) });
export const readWebhook = () => ({ webhookSecret: secret(ENV.webhookSecretId) });
