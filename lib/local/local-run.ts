import { createServer, type RequestListener, type Server } from 'node:http';
import { ENV } from '../contract/environment.ts';
import { Cleanup } from './cleanup.ts';
import { createControl } from './control.ts';
import { createTables } from './create-tables.ts';
import { type Engine, startEngine } from './engine.ts';
import { createAuthorize } from './gateway/authorize.ts';
import { createGateway } from './gateway/gateway.ts';
import { gatewayReply, send } from './gateway/http-reply.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { FunctionPool } from './lambda/function-pool.ts';
import type { Outcome } from './lambda/outcome.ts';
import { DUMMY_CREDENTIALS, functionVariables, type LocalBackends } from './lambda/variables.ts';
import { listen } from './listen.ts';
import { type Provider, startProvider } from './provider-process.ts';
import { scheduledEvent, startScheduler } from './scheduler.ts';
import { createSecretsServer } from './secrets.ts';
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
  const server = createServer((request, response) => listener(request, response));
  const url = `http://127.0.0.1:${await serve(server, settings.port, cleanup)}`;
  const service = withSettings(readService(assembly, localNames({ region, apiUrl: url })), settings);

  const [engine, provider, secretsPort, issuer] = await all([
    startTables(service, region, options, cleanup),
    startSimulator(options, cleanup),
    serve(createSecretsServer(service.secretIds), 0, cleanup),
    createIssuer(issuerOptions(service)),
  ]);
  const backends: LocalBackends = {
    region,
    dynamodbUrl: engine.url,
    secretsUrl: `http://127.0.0.1:${secretsPort}`,
    providerUrl: provider.url,
    credentials: credentialsOf(settings),
    retentionSeconds: settings.retentionSeconds,
    graceSeconds: settings.graceSeconds,
  };
  const functions = createPools(service, backends, log);
  await cleanup.add(() => Promise.all([...functions.values()].map((pool) => pool.close())));
  await all([...functions.values()].map((pool) => pool.prewarm()));
  const scheduler = startScheduler({ ...service, region, invoke: (id, event) => invoke(functions, id, event) });
  await cleanup.add(() => scheduler.stop());
  listener = createListener({ service, functions, issuer, engine, provider, region });
  return url;
}

interface Parts {
  readonly service: ServiceModel;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly issuer: Issuer;
  readonly engine: Engine;
  readonly provider: Provider;
  readonly region: string;
}

/** The controls are for this machine alone and come before the template's routes. */
function createListener({ service, functions, issuer, engine, provider, region }: Parts): RequestListener {
  const schedule = reconcileSchedule(service);
  const control = createControl({
    functions,
    issuer,
    engine,
    providerUrl: provider.url,
    reconcile: schedule && (() => invoke(functions, schedule.functionId, scheduledEvent(schedule, region))),
  });
  const gateway = createGateway({
    ...service,
    authorize: createAuthorize(service.authorizers, issuer.keys),
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

async function serve(server: Server, port: number, cleanup: Cleanup): Promise<number> {
  const listening = await listen(server, port);
  await cleanup.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return listening;
}

async function startTables(
  service: ServiceModel,
  region: string,
  options: LocalRunOptions,
  cleanup: Cleanup,
): Promise<Engine> {
  const { settings, log } = options;
  const engine = await startEngine({
    endpoint: settings.dynamodbEndpoint,
    dataDirectory: settings.dataDirectory,
    prepare: (url) => createTables(service.tables, { url, region, credentials: credentialsOf(settings) }),
    warn: log,
  });
  await cleanup.add(() => engine.close());
  return engine;
}

async function startSimulator({ settings, log }: LocalRunOptions, cleanup: Cleanup): Promise<Provider> {
  const provider = await startProvider({
    port: settings.providerPort,
    dataDirectory: settings.dataDirectory,
    log: (line) => log(`[provider] ${line}`),
  });
  await cleanup.add(() => provider.stop());
  return provider;
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

function issuerOptions({ authorizers, functions, routes }: ServiceModel) {
  const tenantClaim = functions.map(({ environment }) => environment[ENV.tenantClaim]).find(Boolean);
  return {
    authorizer: authorizers[0],
    tenantClaim: tenantClaim ?? 'tenant',
    scopes: [...new Set(routes.flatMap(({ scopes }) => scopes))],
  };
}

function credentialsOf({ aws }: Settings): Record<string, string> {
  const { AWS_REGION: _, ...credentials } = aws;
  return 'AWS_ACCESS_KEY_ID' in credentials ? credentials : { ...DUMMY_CREDENTIALS };
}

/** Waits for every step, so that no failure leaves another step half done behind it. */
async function all<T extends readonly unknown[]>(steps: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(steps);
  return (await Promise.all(steps)) as unknown as T; // Promise.all keeps the tuple; its type does not.
}
