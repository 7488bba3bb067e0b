import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Runs a program that knows nothing of us under a shell that ends it as soon as our end of a pipe closes.
 * The kernel closes the pipe for us even when we are killed, so that the program never outlives the local run.
 * The shell itself must not write: nobody reads by then, and it would die of it before it has tidied up.
 */
const GUARD = `
exec 3<&0
"$@" 3<&- </dev/null &
program=$!
exec >/dev/null 2>&1
{ cat <&3; kill -TERM $program; sleep 2; kill -KILL $program; } &
wait $program
kill -KILL 0
`;

/** How long an orderly end may take before the whole group is killed. */
const STOP_MS_MAX = 2_000;

export interface GuardedProcess {
  readonly child: ChildProcess;
  /** Resolves when the program has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** The program is in a process group of its own: a Ctrl-C reaches us alone, and we end it in order. */
export function startGuarded(program: string, args: readonly string[]): GuardedProcess {
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', program, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.once('error', () => resolve());
  child.stdin.on('error', () => undefined);
  const stop = async () => {
    child.stdin.end();
    const timer = setTimeout(() => killGroup(child), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
  };
  return { child, ended, stop };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}
