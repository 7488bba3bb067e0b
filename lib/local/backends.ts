import type { Server } from 'node:http';
import { ENV } from '../contract/environment.ts';
import type { Cleanup } from './cleanup.ts';
import { createTables } from './create-tables.ts';
import { type Engine, startEngine } from './engine.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { DUMMY_CREDENTIALS } from './lambda/variables.ts';
import { listen } from './listen.ts';
import type { LocalRunOptions } from './local-run.ts';
import { createSecretsServer, localSecrets, WEBHOOK_SECRET } from './secrets.ts';
import type { Settings } from './settings.ts';
import { type Provider, startProvider, type WebhookTarget } from './simulated-provider.ts';
import type { ServiceModel } from './template/service-model.ts';

/** Where Stripe's webhooks go in, when the template has such a route. */
const WEBHOOK_PATH = '/webhooks/stripe';

/** What the functions talk to. */
export interface Backends {
  readonly engine: Engine;
  readonly provider: Provider;
  readonly issuer: Issuer;
  readonly secretsUrl: string;
}

export interface Place {
  readonly region: string;
  /** Of the gateway. */
  readonly port: number;
}

export async function startBackends(
  service: ServiceModel,
  place: Place,
  options: LocalRunOptions,
  cleanup: Cleanup,
): Promise<Backends> {
  const [engine, provider, secretsPort, issuer] = await all([
    startTables(service, place, options, cleanup),
    startSimulator(service, place, options, cleanup),
    serve(createSecretsServer(localSecrets(service)), 0, cleanup),
    createIssuer(issuerOptions(service)),
  ]);
  return { engine, provider, issuer, secretsUrl: `http://127.0.0.1:${secretsPort}` };
}

/** Listens until the cleanup. Gives the port. */
export async function serve(server: Server, port: number, cleanup: Cleanup): Promise<number> {
  const listening = await listen(server, port);
  await cleanup.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return listening;
}

/** Waits for every step, so that no failure leaves another step half done behind it. */
export async function all<T extends readonly unknown[]>(steps: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(steps);
  return (await Promise.all(steps)) as unknown as T; // Promise.all keeps the tuple; its type does not.
}

export function credentialsOf({ aws }: Settings): Record<string, string> {
  const { AWS_REGION: _, ...credentials } = aws;
  return 'AWS_ACCESS_KEY_ID' in credentials ? credentials : { ...DUMMY_CREDENTIALS };
}

async function startTables(
  service: ServiceModel,
  { region }: Place,
  { settings, log }: LocalRunOptions,
  cleanup: Cleanup,
): Promise<Engine> {
  const engine = await startEngine({
    endpoint: settings.dynamodbEndpoint,
    dataDirectory: settings.dataDirectory,
    prepare: (url) => createTables(service.tables, { url, region, credentials: credentialsOf(settings) }),
    warn: log,
  });
  await cleanup.add(() => engine.close());
  return engine;
}

async function startSimulator(
  service: ServiceModel,
  place: Place,
  { settings, log }: LocalRunOptions,
  cleanup: Cleanup,
): Promise<Provider> {
  const provider = await startProvider({
    port: settings.providerPort,
    dataDirectory: settings.dataDirectory,
    webhook: webhookTarget(service, place),
    log: (line) => log(`[provider] ${line}`),
  });
  await cleanup.add(() => provider.close());
  return provider;
}

function webhookTarget({ routes }: ServiceModel, { port }: Place): WebhookTarget | undefined {
  const isServed = routes.some(({ routeKey }) => /^(POST|ANY) (\S+)$/.exec(routeKey)?.[2] === WEBHOOK_PATH);
  return isServed ? { port, path: WEBHOOK_PATH, secret: WEBHOOK_SECRET } : undefined;
}

function issuerOptions({ authorizers, functions, routes }: ServiceModel) {
  const tenantClaim = functions.map(({ environment }) => environment[ENV.tenantClaim]).find(Boolean);
  return {
    authorizer: authorizers[0],
    tenantClaim: tenantClaim ?? 'tenant',
    scopes: [...new Set(routes.flatMap(({ scopes }) => scopes))],
  };
}
