import { delimiter, dirname } from 'node:path';
import { ENV } from '../../contract/environment.ts';
import type { FunctionModel } from '../template/service-model.ts';

/** Where the local stand-ins of AWS services and of the provider listen, and what the user shortened. */
export interface LocalBackends {
  readonly region: string;
  readonly dynamodbUrl: string;
  readonly secretsUrl: string;
  readonly queuesUrl: string;
  readonly providerUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly retentionSeconds: number | undefined;
  readonly graceSeconds: number | undefined;
}

/** Signed requests need some; the embedded engine accepts any. */
export const DUMMY_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' } as const;

/** What Lambda would set, the template's own variables, and the local endpoints; nothing of the parent's environment. */
export function functionVariables(fn: FunctionModel, backends: LocalBackends): Record<string, string> {
  return {
    AWS_REGION: backends.region,
    AWS_DEFAULT_REGION: backends.region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: fn.assetDirectory,
    LANG: 'en_US.UTF-8',
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    TZ: ':UTC',
    _HANDLER: fn.handler,
    ...backends.credentials,
    ...fn.environment,
    AWS_ENDPOINT_URL_DYNAMODB: backends.dynamodbUrl,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: backends.secretsUrl,
    AWS_ENDPOINT_URL_SQS: backends.queuesUrl,
    [ENV.stripeApiBase]: backends.providerUrl,
    ...optional(ENV.retentionSeconds, backends.retentionSeconds),
    ...optional(ENV.graceSeconds, backends.graceSeconds),
  };
}

function optional(name: string, seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { [name]: String(seconds) };
}
