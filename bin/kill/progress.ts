import type { Summary } from './summary.ts';
import type { Tally } from './tally.ts';

export interface Progress {
  /** The round that is under way; undefined between two. */
  update(round: { readonly tally: Tally; readonly phase: string; readonly intentions: number } | undefined): void;
  stop(): void;
}

/** Without a terminal a line now and then is enough. */
const LINE_EVERY_MS = 30_000;

/** Shows on stderr how far the run is, how fast it goes, and how long it will take. */
export function startProgress(killsWanted: number, summary: () => Summary): Progress {
  const { isTTY } = process.stderr;
  let shownAt = Date.now();
  const clear = () => {
    if (isTTY) process.stderr.write('\r\x1b[K');
  };
  return {
    update: (round) => {
      if (!isTTY && Date.now() - shownAt < LINE_EVERY_MS) return;
      shownAt = Date.now();
      const { tally, startedAt, intentions, violations } = summary();
      const kills = tally.kills + (round?.tally.kills ?? 0);
      const perSecond = (kills / (Date.now() - startedAt)) * 1000;
      const line = [
        `${kills} of ${killsWanted} kills`,
        `${perSecond.toFixed(1)}/s`,
        `${perSecond > 0 ? Math.round(Math.max(0, killsWanted - kills) / perSecond) : '?'} s to go`,
        `${intentions + (round?.intentions ?? 0)} intentions`,
        `${violations} violations`,
        round?.phase ?? 'judged',
      ].join(' · ');
      clear();
      process.stderr.write(isTTY ? line : `${line}\n`);
    },
    stop: clear,
  };
}
