import { parseArgs } from 'node:util';
import { compare } from './comparison.ts';
import { SCENARIOS } from './scenarios.ts';
import { tableOf } from './text.ts';

/**
 * Charges made twice, by scenario: `node test/peer/main.ts [--times N] [--concurrency N] [--only TEXT] [--json]`,
 * by default 5 trials of each scenario with each subject.
 */

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    concurrency: { type: 'string', default: '6' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
// An orderly exit wakes what is frozen; everything else ends with this process.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

const { only } = values;
const cells = await compare({
  times: Number(values.times),
  concurrency: Number(values.concurrency),
  scenarios: SCENARIOS.filter(({ name }) => only === undefined || name.includes(only)),
  onTrial: (done, of) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done} of ${of} trials`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
process.stdout.write(values.json ? `${JSON.stringify(cells)}\n` : tableOf(cells));
