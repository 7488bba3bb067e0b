import { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal } from './processes.ts';

/** How long a thawed process lives on after its time was up: long enough for all that it had in mind. */
const AFTERLIFE_MS_DEFAULT = 1_500;

/**
 * Freezes processes and thaws them, also beyond their time-out and their lease.
 *
 * A paused machine pauses whoever would end the process as well, so a SIGKILL for a frozen process waits until that
 * process has been awake again for a while: the only way to meet a function that goes on when everybody believes it dead.
 */
export class Freezer {
  readonly #frozen = new Set<number>();
  readonly #overdue = new Set<number>();
  readonly #afterlifeMs: number;
  readonly #kill = ChildProcess.prototype.kill;
  readonly #thawAll = () => {
    for (const pid of this.#frozen) signal(pid, 'SIGCONT');
  };

  constructor(afterlifeMs = AFTERLIFE_MS_DEFAULT) {
    this.#afterlifeMs = afterlifeMs;
    const freezer = this;
    const kill = this.#kill;
    ChildProcess.prototype.kill = function (this: ChildProcess, name) {
      if (name !== 'SIGKILL' || this.pid === undefined || !freezer.#frozen.has(this.pid)) return kill.call(this, name);
      freezer.#overdue.add(this.pid);
      return true;
    };
    process.once('exit', this.#thawAll);
  }

  isFrozen(pid: number): boolean {
    return this.#frozen.has(pid);
  }

  /** Resolves when the process is awake again, or was found dead. False when there was nothing to freeze. */
  async freeze(pid: number, ms: number): Promise<boolean> {
    if (this.#frozen.has(pid) || !signal(pid, 'SIGSTOP')) return false;
    this.#frozen.add(pid);
    await sleep(ms);
    signal(pid, 'SIGCONT');
    await sleep(this.#afterlifeMs);
    this.#release(pid);
    return true;
  }

  /** Wakes every process and lets overdue kills through. */
  close(): void {
    this.#thawAll();
    for (const pid of [...this.#frozen]) this.#release(pid);
    process.off('exit', this.#thawAll);
    ChildProcess.prototype.kill = this.#kill;
  }

  #release(pid: number): void {
    this.#frozen.delete(pid);
    if (this.#overdue.delete(pid)) signal(pid, 'SIGKILL');
  }
}
