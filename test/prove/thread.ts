import { parentPort, workerData } from 'node:worker_threads';
import type { Job } from './job.ts';
import { type Patch, patchModules } from './mutants/patch.ts';

/** What a thread is given: the jobs, and what is written otherwise in the production code that it loads. */
export interface Assignment {
  readonly jobs: readonly Job[];
  readonly patches: readonly Patch[];
}

// Errors are thrown by the million here, and nobody reads where.
Error.stackTraceLimit = 0;

const { jobs, patches } = workerData as Assignment;
if (patches.length > 0) patchModules(patches);
const { runJob } = await import('./job.ts');
for (const job of jobs) {
  const end = await runJob(job, (schedules) => parentPort?.postMessage({ kind: 'progress', schedules }));
  parentPort?.postMessage(end);
}
