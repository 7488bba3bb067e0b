import { ofType } from './api.ts';
import type { Resource } from './assembly.ts';
import { functionOf } from './functions.ts';
import { resolveText, type Scope } from './intrinsics.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { FunctionModel, ScheduleModel } from './service-model.ts';

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Schedules of EventBridge Scheduler and scheduled rules of EventBridge alike. */
export function readSchedules(scopes: readonly Scope[], functions: readonly FunctionModel[]): ScheduleModel[] {
  return scopes.flatMap((scope) => [
    ...ofType(scope, 'AWS::Scheduler::Schedule').flatMap((schedule) =>
      readTarget(schedule, schedule.properties['Target'], scope, functions),
    ),
    ...ofType(scope, 'AWS::Events::Rule').flatMap((rule) => {
      const targets = rule.properties['Targets'];
      return (Array.isArray(targets) ? targets : []).flatMap((target: Json) =>
        readTarget(rule, target, scope, functions),
      );
    }),
  ]);
}

function readTarget(
  { id, properties }: Resource,
  target: Json | undefined,
  scope: Scope,
  functions: readonly FunctionModel[],
): ScheduleModel[] {
  const { ScheduleExpression, State } = properties;
  const arn = isObject(target) ? resolveText(target['Arn'], scope) : undefined;
  if (ScheduleExpression === undefined || State === 'DISABLED' || !arn?.includes(':function:')) return [];
  return [
    {
      name: id,
      functionId: functionOf(arn, functions).id,
      everyMs: rateMs(resolveText(ScheduleExpression, scope) ?? ''),
      input: resolveText((target as JsonObject)['Input'], scope),
    },
  ];
}

/** `rate(5 minutes)` in milliseconds. */
export function rateMs(expression: string): number | undefined {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression.trim()) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
