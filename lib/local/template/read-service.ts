import { ofType, readApi } from './api.ts';
import type { Assembly } from './assembly.ts';
import { readFunctions } from './functions.ts';
import { type LocalNames, localName, localReference } from './local-values.ts';
import { readEventSources, readQueues } from './queues.ts';
import { readSchedules } from './schedules.ts';
import type { ServiceModel } from './service-model.ts';
import { readTables } from './tables.ts';

/** Reads from a synthesised app everything that the local run serves. */
export function readService(assembly: Assembly, names: LocalNames): ServiceModel {
  const scopes = assembly.stacks.map((stack) => ({ assembly, stack, names }));
  const functions = readFunctions(scopes);
  return {
    functions,
    ...readApi(scopes, functions),
    tables: readTables(scopes),
    schedules: readSchedules(scopes, functions),
    queues: readQueues(scopes),
    eventSources: readEventSources(scopes, functions),
    secrets: scopes.flatMap((scope) =>
      ofType(scope, 'AWS::SecretsManager::Secret').map((secret) => [
        localReference(secret, scope),
        localName(secret, scope),
      ]),
    ),
  };
}
