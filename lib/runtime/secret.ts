import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { MisuseError } from '../idempotency/errors.ts';

/** A rotated secret is picked up within this time, without a deployment. */
const FRESH_MS = 5 * 60 * 1_000;

/** A secret that takes longer leaves too little time to pay; the request is handed off or retried. */
const TIMEOUT_MS = 1_000;

/** A Secrets Manager secret, fetched once per execution environment and again when it is no longer fresh. */
export function cachedSecret(secretId: string, now: () => number): () => Promise<string> {
  const client = new SecretsManagerClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS },
  });
  let cached: { readonly value: Promise<string>; readonly until: number } | undefined;
  const fetchSecret = async (): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (!SecretString) throw new MisuseError(`The secret ${secretId} is empty. Put the provider's secret key into it.`);
    return SecretString;
  };
  return () => {
    if (cached === undefined || cached.until <= now()) {
      const value = fetchSecret();
      cached = { value, until: now() + FRESH_MS };
      value.catch(() => {
        cached = undefined;
      });
    }
    return cached.value;
  };
}
