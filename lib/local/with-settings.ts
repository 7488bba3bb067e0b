import type { Settings } from './settings.ts';
import type { FunctionModel, QueueModel, ScheduleModel, ServiceModel } from './template/service-model.ts';

/** The scheduled function that settles what is due; its rate and its run on demand are the local run's to steer. */
export function reconcileSchedule({ schedules }: Pick<ServiceModel, 'schedules'>): ScheduleModel | undefined {
  return schedules.find(({ functionId }) => functionId === 'reconcile') ?? schedules[0];
}

/** The service with what the user shortened; nothing else differs from the template. */
export function withSettings(service: ServiceModel, settings: Settings): ServiceModel {
  const behindApi = new Set(service.routes.map(({ functionId }) => functionId));
  const reconcileId = reconcileSchedule(service)?.functionId;
  const shortened = (fn: FunctionModel): FunctionModel =>
    settings.functionTimeoutMs !== undefined && behindApi.has(fn.id)
      ? { ...fn, timeoutMs: settings.functionTimeoutMs }
      : fn;
  const paced = (schedule: ScheduleModel): ScheduleModel =>
    settings.reconcileEveryMs !== undefined && schedule.functionId === reconcileId
      ? { ...schedule, everyMs: settings.reconcileEveryMs }
      : schedule;
  const hiding = (queue: QueueModel): QueueModel =>
    settings.queueVisibilityMs === undefined ? queue : { ...queue, visibilityMs: settings.queueVisibilityMs };
  return {
    ...service,
    functions: service.functions.map(shortened),
    schedules: service.schedules.map(paced),
    queues: service.queues.map(hiding),
  };
}
