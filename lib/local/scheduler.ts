import { randomUUID } from 'node:crypto';
import type { Outcome } from './lambda/outcome.ts';
import { LOCAL_ACCOUNT_ID } from './template/local-values.ts';
import type { ScheduleModel } from './template/service-model.ts';

export interface SchedulerOptions {
  readonly schedules: readonly ScheduleModel[];
  readonly region: string;
  readonly invoke: (functionId: string, event: unknown) => Promise<Outcome>;
}

export interface Scheduler {
  stop(): void;
}

/** Invokes at each schedule's rate; a tick that finds the last run still going is left out. */
export function startScheduler({ schedules, region, invoke }: SchedulerOptions): Scheduler {
  const timers = schedules.flatMap((schedule) => {
    if (schedule.everyMs === undefined) return [];
    let running = false;
    const tick = async () => {
      if (running) return;
      running = true;
      try {
        await invoke(schedule.functionId, scheduledEvent(schedule, region));
      } finally {
        running = false;
      }
    };
    return [setInterval(() => void tick(), schedule.everyMs)];
  });
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** What EventBridge Scheduler sends where the schedule fixes no input. */
export function scheduledEvent({ name, input }: ScheduleModel, region: string): unknown {
  if (input !== undefined) return JSON.parse(input);
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: LOCAL_ACCOUNT_ID,
    time: new Date().toISOString(),
    region,
    resources: [`arn:aws:scheduler:${region}:${LOCAL_ACCOUNT_ID}:schedule/default/${name}`],
    detail: '{}',
  };
}
