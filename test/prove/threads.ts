import { Worker } from 'node:worker_threads';
import type { JobEnd } from './job.ts';
import type { Assignment } from './thread.ts';

/** Schedules leave a lot of short-lived objects behind; a large young generation is swept seldom. */
const YOUNG_MB = 128;

type Message = JobEnd | { readonly kind: 'progress'; readonly schedules: number };

/** Runs jobs one after the other in a thread of their own, which loads the production code afresh. */
export function inThread(assignment: Assignment, note: (more: number) => void = () => {}): Promise<readonly JobEnd[]> {
  return new Promise((resolve, reject) => {
    const ends: JobEnd[] = [];
    let noted = 0;
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: assignment,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (message: Message) => {
      note(message.schedules - noted);
      noted = message.kind === 'end' ? 0 : message.schedules;
      if (message.kind === 'end') ends.push(message);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      if (ends.length === assignment.jobs.length) resolve(ends);
      else reject(new Error(`A thread ended after ${ends.length} of ${assignment.jobs.length} jobs.`));
    });
  });
}
