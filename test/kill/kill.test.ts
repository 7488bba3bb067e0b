import { describe, expect, it } from 'vitest';
import { describeViolations } from '../../bin/kill/report.ts';
import { runRound } from '../../bin/kill/round.ts';

/** A short form of `node bin/kill.ts`; the seed is fixed, the interleavings are the machine's. */
const KILLS = 30;

describe('the service under SIGKILL, freezes, lost replies and outages', () => {
  it('charges nobody twice, loses no charge, and gives every client one final answer', async () => {
    const report = await runRound({
      seed: 'test',
      kills: KILLS,
      assemblyDirectory: 'cdk.out',
      onProgress: () => {},
    });
    expect(describeViolations(report)).toBe('');
    expect(report.anomalies).toEqual([]);
    expect(report.tally.kills).toBeGreaterThanOrEqual(KILLS);
    expect(report.ledger.length).toBeGreaterThan(0);
    const named = [...report.tally.killsAt.keys()].filter((point) => !point.endsWith('at random'));
    expect(named.length, 'kills at named points of the protocol').toBeGreaterThan(3);
  }, 420_000);
});
