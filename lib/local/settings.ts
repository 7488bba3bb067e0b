import { LocalRunError } from './local-run-error.ts';

/** What may be set from outside; everything else is in the template. */
export interface Settings {
  readonly port: number;
  readonly providerPort: number;
  /** Where tables and ledger are kept; unset: nowhere. Queues are in memory either way. */
  readonly dataDirectory: string | undefined;
  /** An engine that runs already; unset: the embedded one. */
  readonly dynamodbEndpoint: string | undefined;
  /** Region and credentials for such an engine. */
  readonly aws: Readonly<Record<string, string>>;
  readonly functionTimeoutMs: number | undefined;
  readonly reconcileEveryMs: number | undefined;
  readonly graceSeconds: number | undefined;
  readonly retentionSeconds: number | undefined;
  /** In place of every queue's own visibility time-out. */
  readonly queueVisibilityMs: number | undefined;
}

const PORT_MAX = 65_535;

/** Lambda's own limit. */
const TIMEOUT_SECONDS_MAX = 900;

/** SQS's own limit. */
const VISIBILITY_SECONDS_MAX = 43_200;

/** A year: what is beyond is a slip of the finger, and timers end at 24 days. */
const SECONDS_MAX = 365 * 86_400;
const TIMER_SECONDS_MAX = 24 * 86_400;

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const number = (name: string, min: number, max: number) => readWhole(env, name, min, max);
  const functionTimeout = number('FUNCTION_TIMEOUT_SECONDS', 1, TIMEOUT_SECONDS_MAX);
  const reconcileEvery = number('RECONCILE_EVERY_SECONDS', 1, TIMER_SECONDS_MAX);
  const queueVisibility = number('QUEUE_VISIBILITY_SECONDS', 1, VISIBILITY_SECONDS_MAX);
  const dynamodbEndpoint = readUrl(env, 'DYNAMODB_ENDPOINT');
  return {
    port: number('PORT', 0, PORT_MAX) ?? 3000,
    providerPort: number('PROVIDER_PORT', 0, PORT_MAX) ?? 3001,
    dataDirectory: env['DATA_DIR'] || undefined,
    dynamodbEndpoint,
    aws: dynamodbEndpoint === undefined ? {} : awsVariables(env),
    functionTimeoutMs: functionTimeout === undefined ? undefined : functionTimeout * 1000,
    reconcileEveryMs: reconcileEvery === undefined ? undefined : reconcileEvery * 1000,
    graceSeconds: number('RECONCILE_GRACE_SECONDS', 0, SECONDS_MAX),
    retentionSeconds: number('RETENTION_SECONDS', 1, SECONDS_MAX),
    queueVisibilityMs: queueVisibility === undefined ? undefined : queueVisibility * 1000,
  };
}

function readWhole(env: NodeJS.ProcessEnv, name: string, min: number, max: number): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new LocalRunError('setting-invalid', `${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

function readUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new LocalRunError('setting-invalid', `${name} must be a URL such as http://127.0.0.1:8000, not "${text}".`);
  }
  return text;
}

function awsVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
