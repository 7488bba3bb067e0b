import { createServer, type Server } from 'node:http';
import { jsonReply, send } from './gateway/http-reply.ts';
import { readBody } from './read-body.ts';
import { isObject } from './template/json.ts';

/** Every secret of the template has this value; the simulator accepts it. */
export const LOCAL_SECRET = 'sk_test_local';

const REQUEST_BYTES_MAX = 64 * 1024;

/** The one operation of Secrets Manager that the functions use, for the secrets of the template. */
export function createSecretsServer(secretIds: readonly string[]): Server {
  return createServer((request, response) => {
    void readBody(request, REQUEST_BYTES_MAX)
      .then((body) =>
        send(response, answer(String(request.headers['x-amz-target']), body?.toString() ?? '', secretIds)),
      )
      .catch(() => response.destroy());
  });
}

function answer(target: string, body: string, secretIds: readonly string[]) {
  if (target !== 'secretsmanager.GetSecretValue') return refusal('UnknownOperationException', `no ${target} here`);
  const secretId = requestedId(body);
  if (!secretIds.includes(secretId)) {
    return refusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }
  return jsonReply(200, { ARN: secretId, Name: secretId, SecretString: LOCAL_SECRET, VersionStages: ['AWSCURRENT'] });
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
