import { LocalRunError } from '../local-run-error.ts';
import type { Assembly, Stack } from './assembly.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { type LocalNames, localAttribute, localReference, pseudoParameter } from './local-values.ts';

/** Where a value stands: references are looked up in its own stack, imports in all of them. */
export interface Scope {
  readonly assembly: Assembly;
  readonly stack: Stack;
  readonly names: LocalNames;
}

/** Replaces CloudFormation's intrinsic functions by what they stand for in the local run. */
export function resolveValue(value: Json, scope: Scope): Json {
  if (Array.isArray(value)) return value.map((entry) => resolveValue(entry, scope));
  if (!isObject(value)) return value;
  const [name, argument] = Object.entries(value)[0] ?? [];
  if (Object.keys(value).length === 1 && argument !== undefined && (name === 'Ref' || name?.startsWith('Fn::'))) {
    return resolveIntrinsic(name, argument, scope);
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolveValue(entry, scope)]));
}

export function resolveText(value: Json | undefined, scope: Scope): string | undefined {
  if (value === undefined || value === null) return undefined;
  const resolved = resolveValue(value, scope);
  return typeof resolved === 'object' ? JSON.stringify(resolved) : String(resolved);
}

function resolveIntrinsic(name: string, argument: Json, scope: Scope): Json {
  switch (name) {
    case 'Ref':
      return reference(String(argument), scope);
    case 'Fn::GetAtt':
      return attribute(argument, scope);
    case 'Fn::Join':
      return joined(argument, scope);
    case 'Fn::Sub':
      return substituted(argument, scope);
    case 'Fn::Select':
      return selected(argument, scope);
    case 'Fn::Split': {
      const [separator, text] = list(resolveValue(argument, scope));
      return String(text).split(String(separator));
    }
    case 'Fn::ImportValue':
      return imported(String(resolveText(argument, scope)), scope);
    case 'Fn::GetStackOutput':
      return stackOutput(resolveValue(argument, scope), scope);
    default:
      throw unsupported(`${name} is not known to the local run: ${JSON.stringify(argument)}`);
  }
}

function reference(id: string, scope: Scope): Json {
  const pseudo = pseudoParameter(id, scope.stack, scope.names);
  if (pseudo !== undefined) return pseudo;
  const resource = scope.stack.resources.get(id);
  if (resource) return localReference(resource, scope);
  const parameter = scope.stack.parameterDefaults.get(id);
  if (parameter !== undefined) return parameter;
  throw unsupported(`stack ${scope.stack.name} refers to ${id}, which it does not hold`);
}

function attribute(argument: Json, scope: Scope): Json {
  const [id = '', ...rest] = typeof argument === 'string' ? argument.split('.') : list(argument).map(String);
  const resource = scope.stack.resources.get(id);
  if (!resource) throw unsupported(`stack ${scope.stack.name} refers to ${id}, which it does not hold`);
  return localAttribute(resource, rest.join('.'), scope);
}

function joined(argument: Json, scope: Scope): string {
  const [separator, parts] = list(argument);
  const texts = list(resolveValue(parts ?? [], scope)).map(String);
  return scope.names.localise(texts.join(String(separator)));
}

function substituted(argument: Json, scope: Scope): string {
  const [template, variables] = typeof argument === 'string' ? [argument, {}] : list(argument);
  const own: JsonObject = isObject(variables) ? variables : {};
  const text = String(template).replace(/\$\{([^}]+)\}/g, (_, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    const value = own[name];
    if (value !== undefined) return resolveText(value, scope) ?? '';
    return String(name.includes('.') ? attribute(name, scope) : reference(name, scope));
  });
  return scope.names.localise(text);
}

function selected(argument: Json, scope: Scope): Json {
  const [index, from] = list(argument);
  const value = list(resolveValue(from ?? [], scope))[Number(index)];
  if (value === undefined) throw unsupported(`Fn::Select finds nothing at ${index}`);
  return value;
}

function imported(name: string, scope: Scope): Json {
  for (const stack of scope.assembly.stacks) {
    const value = stack.exports.get(name);
    if (value !== undefined) return resolveValue(value, { ...scope, stack });
  }
  throw unsupported(`no stack exports ${name}`);
}

function stackOutput(argument: Json, scope: Scope): Json {
  const { StackName, OutputName } = isObject(argument) ? argument : {};
  const stack = scope.assembly.stacks.find(({ name }) => name === StackName);
  const value = stack?.outputs.get(String(OutputName));
  if (!stack || value === undefined) throw unsupported(`no stack ${StackName} has an output ${OutputName}`);
  return resolveValue(value, { ...scope, stack });
}

function list(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw unsupported(`expected a list, found ${JSON.stringify(value)}`);
}

export function unsupported(detail: string): LocalRunError {
  return new LocalRunError('template-unsupported', `The template cannot be served locally: ${detail}.`);
}
