import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LocalRunError } from '../local-run-error.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: JsonObject;
  /** Construct path below the stack, without the closing `Resource`: `['create-payment', 'Function']`. */
  readonly path: readonly string[];
  readonly assetPath: string | undefined;
}

export interface Stack {
  readonly name: string;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Unresolved values by output id. */
  readonly outputs: ReadonlyMap<string, Json>;
  /** Unresolved values by export name. */
  readonly exports: ReadonlyMap<string, Json>;
  readonly parameterDefaults: ReadonlyMap<string, Json>;
}

export interface Assembly {
  readonly directory: string;
  readonly stacks: readonly Stack[];
}

/** Reads the stacks of a synthesised CDK app; nothing is resolved yet. */
export function readAssembly(directory: string): Assembly {
  const root = resolve(directory);
  const artifacts = members(readJson(join(root, 'manifest.json'))['artifacts']);
  const stacks = artifacts.flatMap(([name, artifact]) => {
    if (!isObject(artifact) || artifact['type'] !== 'aws:cloudformation:stack') return [];
    const { templateFile, stackName } = isObject(artifact['properties']) ? artifact['properties'] : {};
    if (typeof templateFile !== 'string') throw unreadable(root, `stack ${name} names no template file`);
    return [readStack(typeof stackName === 'string' ? stackName : name, readJson(join(root, templateFile)))];
  });
  if (stacks.length === 0) throw unreadable(root, 'it holds no stack');
  return { directory: root, stacks };
}

function readStack(name: string, template: JsonObject): Stack {
  const outputs = members(template['Outputs']).flatMap(([id, output]) =>
    isObject(output) ? [[id, output] as const] : [],
  );
  return {
    name,
    resources: new Map(members(template['Resources']).map(([id, resource]) => [id, readResource(id, resource)])),
    outputs: new Map(outputs.map(([id, output]) => [id, output['Value'] ?? null])),
    exports: new Map(
      outputs.flatMap(([, output]) => {
        const exported = isObject(output['Export']) ? output['Export']['Name'] : undefined;
        return typeof exported === 'string' ? [[exported, output['Value'] ?? null] as const] : [];
      }),
    ),
    parameterDefaults: new Map(
      members(template['Parameters']).flatMap(([id, parameter]) =>
        isObject(parameter) && parameter['Default'] !== undefined ? [[id, parameter['Default']] as const] : [],
      ),
    ),
  };
}

function readResource(id: string, resource: Json): Resource {
  const { Type, Properties, Metadata } = isObject(resource) ? resource : {};
  const metadata = isObject(Metadata) ? Metadata : {};
  const path = typeof metadata['aws:cdk:path'] === 'string' ? metadata['aws:cdk:path'].split('/').slice(1) : [id];
  const assetPath = metadata['aws:asset:path'];
  return {
    id,
    type: String(Type),
    properties: isObject(Properties) ? Properties : {},
    path: path.at(-1) === 'Resource' ? path.slice(0, -1) : path,
    assetPath: typeof assetPath === 'string' ? assetPath : undefined,
  };
}

function readJson(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isObject(value)) return value;
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
  throw unreadable(file, 'not a JSON object');
}

function members(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

function unreadable(where: string, reason: string): LocalRunError {
  return new LocalRunError(
    'assembly-unreadable',
    `Cannot read the synthesised app at ${where} (${reason}). Run \`npx cdk synth\` first.`,
  );
}
