/**
 * What a managed runtime does in an execution environment: import the handler, then ask the Runtime API for one
 * invocation after the other. Plain JavaScript, because every cold start would pay for stripping types.
 */
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const API = '/2018-06-01/runtime';
const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

// Descriptor 3 is a pipe that the local run holds open: when it ends, for whatever reason, so does this process.
new Socket({ fd: 3 })
  .on('close', () => process.exit(1))
  .on('error', () => {})
  .resume()
  .unref();

function call(method, path, body, headers) {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, method, path: API + path, agent, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ ...answer, headers: answer.headers, text: Buffer.concat(chunks).toString() }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function report(path, error) {
  const errorType = error?.name ?? 'Error';
  const body = { errorType, errorMessage: error?.message ?? String(error), trace: String(error?.stack).split('\n') };
  return call('POST', path, JSON.stringify(body), { 'Lambda-Runtime-Function-Error-Type': errorType });
}

async function load() {
  const [file, name] = process.env._HANDLER.split(/\.(?=[^.]+$)/);
  const base = join(process.env.LAMBDA_TASK_ROOT, file);
  const path = [base, `${base}.js`, `${base}.mjs`, `${base}.cjs`].find((candidate) => existsSync(candidate));
  const handler = path && (await import(pathToFileURL(path).href))[name];
  if (typeof handler !== 'function') throw new Error(`${process.env._HANDLER} is no function`);
  return handler;
}

function contextOf(headers) {
  const deadlineMs = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
}

async function serve(handler) {
  for (;;) {
    const next = await call('GET', '/invocation/next');
    const id = next.headers['lambda-runtime-aws-request-id'];
    process.env._X_AMZN_TRACE_ID = next.headers['lambda-runtime-trace-id'];
    try {
      const result = await handler(JSON.parse(next.text), contextOf(next.headers));
      await call('POST', `/invocation/${id}/response`, JSON.stringify(result) ?? 'null');
    } catch (error) {
      console.error(error);
      await report(`/invocation/${id}/error`, error);
    }
  }
}

try {
  await serve(await load());
} catch (error) {
  console.error(error);
  await report('/init/error', error).catch(() => {});
  process.exit(1);
}
