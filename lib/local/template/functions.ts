import { join } from 'node:path';
import type { Resource } from './assembly.ts';
import { resolveText, type Scope, unsupported } from './intrinsics.ts';
import { isObject, type Json } from './json.ts';
import { localName } from './local-values.ts';
import type { FunctionModel } from './service-model.ts';

/** CloudFormation's own default. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

/** Ids that say what a construct is and not which one. */
const GENERIC_IDS = new Set(['Function', 'Handler', 'Fn', 'Lambda']);

/** The Node functions that carry a bundle; CDK's own inline helpers are left out. */
export function readFunctions(scopes: readonly Scope[]): FunctionModel[] {
  const found = scopes.flatMap((scope) =>
    [...scope.stack.resources.values()].flatMap((resource) => {
      const directory = assetDirectory(resource);
      if (resource.type !== 'AWS::Lambda::Function' || directory === undefined || !isNode(resource)) return [];
      return [readFunction(resource, join(scope.assembly.directory, directory), scope)];
    }),
  );
  const seen = new Set<string>();
  for (const { id } of found) {
    if (seen.has(id)) throw unsupported(`two functions are called ${id}`);
    seen.add(id);
  }
  return found;
}

/** The function that an ARN, an alias's ARN or an invocation path names. */
export function functionOf(arn: string, functions: readonly FunctionModel[]): FunctionModel {
  const name = /:function:([^:/]+)/.exec(arn)?.[1] ?? arn;
  const found = functions.find((candidate) => candidate.name === name);
  if (!found) throw unsupported(`${arn} names no Node function of the app`);
  return found;
}

function readFunction(resource: Resource, directory: string, scope: Scope): FunctionModel {
  const { Handler, Timeout, MemorySize, Environment, ReservedConcurrentExecutions } = resource.properties;
  const variables = isObject(Environment) && isObject(Environment['Variables']) ? Environment['Variables'] : {};
  return {
    id: functionId(resource),
    name: localName(resource, scope),
    assetDirectory: directory,
    handler: resolveText(Handler, scope) ?? 'index.handler',
    timeoutMs: numberOr(Timeout, DEFAULT_TIMEOUT_SECONDS) * 1000,
    memoryMb: numberOr(MemorySize, DEFAULT_MEMORY_MB),
    concurrencyMax: typeof ReservedConcurrentExecutions === 'number' ? ReservedConcurrentExecutions : undefined,
    environment: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, resolveText(value, scope) ?? '']),
    ),
  };
}

function functionId(resource: Resource): string {
  const named = resource.path.filter((id) => !GENERIC_IDS.has(id));
  return named.at(-1) ?? resource.id;
}

function isNode(resource: Resource): boolean {
  return String(resource.properties['Runtime']).startsWith('nodejs');
}

function assetDirectory(resource: Resource): string | undefined {
  if (resource.assetPath !== undefined) return resource.assetPath;
  const key = isObject(resource.properties['Code']) ? resource.properties['Code']['S3Key'] : undefined;
  return typeof key === 'string' ? `asset.${key.replace(/\.zip$/, '')}` : undefined;
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
