import { createServer, type Server } from 'node:http';
import { ENV } from '../contract/environment.ts';
import { jsonReply, send } from './gateway/http-reply.ts';
import { readBody } from './read-body.ts';
import { isObject } from './template/json.ts';
import type { ServiceModel } from './template/service-model.ts';

/** The simulator accepts it; every secret of the template has this value but for the one below. */
export const LOCAL_SECRET = 'sk_test_local';

/** The simulator signs its webhooks with it. */
export const WEBHOOK_SECRET = 'whsec_local';

const REQUEST_BYTES_MAX = 64 * 1024;

/** The values by id; which secret is which is known from the variables of the functions that ask for it. */
export function localSecrets({ secrets, functions }: Pick<ServiceModel, 'secrets' | 'functions'>) {
  const webhookIds = new Set(functions.map(({ environment }) => environment[ENV.webhookSecretId]));
  return new Map(
    secrets.flatMap((ids) => {
      const value = ids.some((id) => webhookIds.has(id)) ? WEBHOOK_SECRET : LOCAL_SECRET;
      return ids.map((id) => [id, value] as const);
    }),
  );
}

/** The one operation of Secrets Manager that the functions use, for the secrets of the template. */
export function createSecretsServer(secrets: ReadonlyMap<string, string>): Server {
  return createServer((request, response) => {
    void readBody(request, REQUEST_BYTES_MAX)
      .then((body) => send(response, answer(String(request.headers['x-amz-target']), body?.toString() ?? '', secrets)))
      .catch(() => response.destroy());
  });
}

function answer(target: string, body: string, secrets: ReadonlyMap<string, string>) {
  if (target !== 'secretsmanager.GetSecretValue') return refusal('UnknownOperationException', `no ${target} here`);
  const secretId = requestedId(body);
  const value = secrets.get(secretId);
  if (value === undefined) {
    return refusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }
  return jsonReply(200, { ARN: secretId, Name: secretId, SecretString: value, VersionStages: ['AWSCURRENT'] });
}

function requestedId(body: string): string {
  try {
    const request: unknown = JSON.parse(body);
    return isObject(request) ? String(request['SecretId']) : '';
  } catch {
    return '';
  }
}

function refusal(type: string, message: string) {
  return jsonReply(400, { __type: type, message });
}
