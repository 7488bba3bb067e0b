import { createServer, type RequestListener } from 'node:http';
import { all, type Backends, credentialsOf, serve, startBackends } from './backends.ts';
import { Cleanup } from './cleanup.ts';
import { createControl } from './control.ts';
import { createAuthorize } from './gateway/authorize.ts';
import { createGateway } from './gateway/gateway.ts';
import { gatewayReply, send } from './gateway/http-reply.ts';
import { FunctionPool } from './lambda/function-pool.ts';
import type { Outcome } from './lambda/outcome.ts';
import { functionVariables, type LocalBackends } from './lambda/variables.ts';
import { createPage } from './page/page.ts';
import { startPollers } from './queue/pollers.ts';
import { createQueues, type Queues } from './queue/queues.ts';
import { createSqsServer } from './queue/sqs-server.ts';
import { scheduledEvent, startScheduler } from './scheduler.ts';
import type { Settings } from './settings.ts';
import { readAssembly } from './template/assembly.ts';
import { localNames } from './template/local-values.ts';
import { readService } from './template/read-service.ts';
import type { ServiceModel } from './template/service-model.ts';
import { reconcileSchedule, withSettings } from './with-settings.ts';

const DEFAULT_REGION = 'us-east-1';

export interface LocalRunOptions {
  /** The folder that `cdk synth` wrote. */
  readonly assemblyDirectory: string;
  readonly settings: Settings;
  readonly log: (line: string) => void;
}

export interface LocalRun {
  readonly url: string;
  /** Ends every process and listener; resolves when they are gone. */
  stop(): Promise<void>;
}

/**
 * Starts everything; when a step fails, what had started is stopped before the error is passed on.
 *
 * @param cleanup lets the caller stop a run that is still starting.
 */
export async function startLocalRun(options: LocalRunOptions, cleanup = new Cleanup()): Promise<LocalRun> {
  try {
    return { url: await start(options, cleanup), stop: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(options: LocalRunOptions, cleanup: Cleanup): Promise<string> {
  const { assemblyDirectory, settings, log } = options;
  const assembly = readAssembly(assemblyDirectory);
  const region = settings.aws['AWS_REGION'] ?? DEFAULT_REGION;
  let listener: RequestListener = (_, response) => send(response, gatewayReply(503, 'Service Unavailable'));
  let queues: Queues = createQueues([]);
  const server = createServer((request, response) => listener(request, response));
  const port = await serve(server, settings.port, cleanup);
  const url = `http://127.0.0.1:${port}`;
  // Its address is in the queues' URLs, so that it listens before there are queues.
  const queuesPort = await serve(
    createSqsServer(() => queues),
    0,
    cleanup,
  );
  const names = localNames({ region, apiUrl: url, queuesUrl: `http://127.0.0.1:${queuesPort}` });
  const service = withSettings(readService(assembly, names), settings);
  queues = createQueues(service.queues);

  const backends = await startBackends(service, { region, port }, options, cleanup);
  const variables = variablesOf(backends, names, settings);
  const functions = createPools(service, variables, log);
  await cleanup.add(() => Promise.all([...functions.values()].map((pool) => pool.close())));
  await all([...functions.values()].map((pool) => pool.prewarm()));
  const invocations = (id: string, event: unknown) => invoke(functions, id, event);
  const scheduler = startScheduler({ ...service, region, invoke: invocations });
  await cleanup.add(() => scheduler.stop());
  const pollers = startPollers({ ...service, queues, invoke: invocations });
  await cleanup.add(() => pollers.stop());
  const page = createPage({ ...variables, service, url });
  await cleanup.add(() => page.close());
  listener = page.before(createListener({ service, functions, backends, queues, region }));
  return url;
}

interface Parts {
  readonly service: ServiceModel;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly backends: Backends;
  readonly queues: Queues;
  readonly region: string;
}

/** The controls are for this machine alone and come before the template's routes. */
function createListener({ service, functions, backends, queues, region }: Parts): RequestListener {
  const schedule = reconcileSchedule(service);
  const control = createControl({
    ...backends,
    functions,
    queues,
    reconcile: schedule && (() => invoke(functions, schedule.functionId, scheduledEvent(schedule, region))),
  });
  const gateway = createGateway({
    ...service,
    authorize: createAuthorize(service.authorizers, backends.issuer.keys),
    invoke: (id, event, waitMs) => invoke(functions, id, event, waitMs),
  });
  return (request, response) => {
    const handled = request.url?.startsWith('/local/')
      ? control(request).then((reply) => send(response, reply))
      : gateway(request, response);
    handled.catch((error: unknown) => {
      // A client that went away while it sent its body; or a fault of ours, which must not end the process.
      if (!request.destroyed) console.error(error);
      if (response.headersSent) response.destroy();
      else send(response, gatewayReply(500, 'Internal Server Error'));
    });
  };
}

function variablesOf(
  { engine, provider, secretsUrl }: Backends,
  { region, queuesUrl }: { readonly region: string; readonly queuesUrl: string },
  settings: Settings,
): LocalBackends {
  return {
    region,
    dynamodbUrl: engine.url,
    secretsUrl,
    queuesUrl,
    providerUrl: provider.url,
    credentials: credentialsOf(settings),
    retentionSeconds: settings.retentionSeconds,
    graceSeconds: settings.graceSeconds,
  };
}

function createPools({ functions }: ServiceModel, backends: LocalBackends, log: LocalRunOptions['log']) {
  return new Map(
    functions.map((fn) => [
      fn.id,
      new FunctionPool({ fn, variables: functionVariables(fn, backends), log: (line) => log(`[${fn.id}] ${line}`) }),
    ]),
  );
}

async function invoke(
  functions: ReadonlyMap<string, FunctionPool>,
  id: string,
  event: unknown,
  waitMs?: number,
): Promise<Outcome> {
  const pool = functions.get(id);
  if (!pool) throw new Error(`no function ${id}`);
  return pool.invoke(event, waitMs);
}
