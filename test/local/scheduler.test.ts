import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduledEvent, startScheduler } from '../../lib/local/scheduler.ts';
import { readSettings } from '../../lib/local/settings.ts';
import { readAssembly } from '../../lib/local/template/assembly.ts';
import { localNames } from '../../lib/local/template/local-values.ts';
import { readService } from '../../lib/local/template/read-service.ts';
import { withSettings } from '../../lib/local/with-settings.ts';
import { ASSEMBLY, MESSAGES } from './support.ts';

const SCHEDULE = { name: 'Every', functionId: 'reconcile', everyMs: 1000, input: undefined };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the scheduler', () => {
  it('invokes at the rate, and not after it was stopped', async () => {
    const invoked: string[] = [];
    const scheduler = startScheduler({
      schedules: [SCHEDULE, { ...SCHEDULE, functionId: 'by-cron', everyMs: undefined }],
      region: 'us-east-1',
      invoke: async (functionId) => {
        invoked.push(functionId);
        return { kind: 'returned', payload: '{}' };
      },
    });
    await vi.advanceTimersByTimeAsync(3500);
    scheduler.stop();
    await vi.advanceTimersByTimeAsync(3500);
    expect(invoked).toEqual(['reconcile', 'reconcile', 'reconcile']);
  });

  it('leaves out what would overlap and goes on after a failure', async () => {
    const runs: PromiseWithResolvers<{ kind: 'exited'; reason: string }>[] = [];
    const scheduler = startScheduler({
      schedules: [SCHEDULE],
      region: 'us-east-1',
      invoke: () => {
        const run = Promise.withResolvers<{ kind: 'exited'; reason: string }>();
        runs.push(run);
        return run.promise;
      },
    });
    await vi.advanceTimersByTimeAsync(5500);
    expect(runs).toHaveLength(1);
    runs[0]?.resolve({ kind: 'exited', reason: 'SIGKILL' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toHaveLength(2);
    scheduler.stop();
  });

  it('sends the input that the schedule fixes', () => {
    expect(scheduledEvent({ ...SCHEDULE, input: '{"limit":5}' }, 'us-east-1')).toEqual({ limit: 5 });
    expect(scheduledEvent(SCHEDULE, 'us-east-1')).toMatchObject({ source: 'aws.scheduler', region: 'us-east-1' });
  });
});

describe('the settings', () => {
  const NAMES = localNames({ region: 'us-east-1', apiUrl: 'http://local', queuesUrl: 'http://queues' });
  const service = readService(readAssembly(ASSEMBLY), NAMES);
  const timeouts = (env: Record<string, string>) =>
    withSettings(service, readSettings(env)).functions.map(({ id, timeoutMs }) => [id, timeoutMs]);

  it('shorten the functions behind the API alone', () => {
    expect(timeouts({ FUNCTION_TIMEOUT_SECONDS: '1' })).toEqual([
      ['echo', 1000],
      ['single', 1000],
      ['broken', 1000],
      ['reconcile', 5000],
    ]);
  });

  it('pace the reconciler', () => {
    const { schedules } = withSettings(service, readSettings({ RECONCILE_EVERY_SECONDS: '2' }));
    expect(schedules.map(({ everyMs }) => everyMs)).toEqual([2000]);
  });

  it("take the place of every queue's visibility time-out", () => {
    const messages = readService(readAssembly(MESSAGES), NAMES);
    expect(messages.queues.map(({ visibilityMs }) => visibilityMs)).toEqual([12_000, 30_000, 12_000]);
    const { queues } = withSettings(messages, readSettings({ QUEUE_VISIBILITY_SECONDS: '2' }));
    expect(queues.map(({ visibilityMs }) => visibilityMs)).toEqual([2000, 2000, 2000]);
  });

  it('change nothing when they are not set', () => {
    expect(withSettings(service, readSettings({}))).toEqual(service);
  });
});
