import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';
import { readBody } from '../read-body.ts';

/** Lambda's limit on a request or a response of a synchronous invocation. */
export const PAYLOAD_BYTES_MAX = 6 * 1024 * 1024;

const PREFIX = '/2018-06-01/runtime';

export interface Invocation {
  readonly requestId: string;
  readonly deadlineMs: number;
  readonly functionArn: string;
  readonly payload: string;
}

/** What the runtime inside the environment reports. */
export interface RuntimeEvents {
  /** The runtime is idle and waits for an invocation. */
  next(deliver: (invocation: Invocation) => void): void;
  responded(requestId: string, payload: string): void;
  failed(requestId: string, error: string): void;
  tooLarge(requestId: string): void;
  initFailed(error: string): void;
}

export interface RuntimeApi {
  /** `host:port`, the value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  close(): void;
}

/** Serves the Lambda Runtime API to one execution environment. */
export async function openRuntimeApi(events: RuntimeEvents): Promise<RuntimeApi> {
  const server = createServer((request, response) => {
    answer(request, response, events).catch((error: unknown) => {
      // A killed runtime leaves half a request behind; there is nobody to answer.
      if (!response.headersSent) reply(response, 500, { errorMessage: String(error) });
    });
  });
  // A runtime waits for its next invocation as long as it takes.
  server.requestTimeout = 0;
  server.timeout = 0;
  const port = await listen(server, 0);
  return {
    address: `127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, events: RuntimeEvents): Promise<void> {
  const path = request.url?.slice(PREFIX.length) ?? '';
  if (path === '/invocation/next') {
    events.next((invocation) => deliver(response, invocation));
    return;
  }
  const [, requestId = '', verb] = /^\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
  const body = await readBody(request, PAYLOAD_BYTES_MAX);
  if (body === undefined) {
    reply(response, 413, { errorType: 'RequestEntityTooLarge', errorMessage: 'Response payload size exceeded 6 MB' });
    events.tooLarge(requestId);
    return;
  }
  // The runtime is answered first: whoever waits for the outcome may send the next invocation at once.
  if (verb === 'response') {
    reply(response, 202, { status: 'OK' });
    events.responded(requestId, body.toString());
  } else if (verb === 'error') {
    reply(response, 202, { status: 'OK' });
    events.failed(requestId, body.toString());
  } else if (path === '/init/error') {
    reply(response, 202, { status: 'OK' });
    events.initFailed(body.toString());
  } else {
    reply(response, 404, { errorMessage: `The Runtime API has no ${request.url}` });
  }
}

function deliver(response: ServerResponse, { requestId, deadlineMs, functionArn, payload }: Invocation): void {
  const trace = `${Math.floor(Date.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`;
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': requestId,
    'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
    'Lambda-Runtime-Invoked-Function-Arn': functionArn,
    'Lambda-Runtime-Trace-Id': `Root=1-${trace};Parent=0000000000000000;Sampled=0`,
  });
  response.end(payload);
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
