import { parseArgs } from 'node:util';
import { CONFIGURATIONS, definesOf, PROVIDERS } from './configurations.ts';
import { MUTANTS } from './mutants.ts';
import { type Answer, ask, type Question, whatIsMissing } from './spin.ts';

const USAGE = `node test/model/check.ts [--large] [--trace] [--only <text>]

Has Spin search the model, and prints one line for each question.

  --large        also what takes minutes: larger bounds, and the mutants that a provider masks
  --only <text>  the questions whose line contains the text
  --trace        print each counterexample
`;

/** Longer than any search takes on one busy core. */
const TIMEOUT_MS = 60 * 60_000;

interface Asked {
  readonly line: string;
  readonly question: Omit<Question, 'timeoutMs'>;
  readonly expected: Answer['kind'];
}

const ofProtocol = (large: boolean): readonly Asked[] =>
  CONFIGURATIONS.filter(({ size }) => large || size === 'default').flatMap(
    ({ sentence, defines, search, providers = PROVIDERS }) =>
      providers.map((provider) => {
        const flags = [...defines, ...definesOf(provider)];
        return { line: `${sentence} | ${flags.join(' ')}`, question: { defines: flags, search }, expected: 'holds' };
      }),
  );

const ofMutants = (large: boolean): readonly Asked[] =>
  MUTANTS.flatMap(({ name, sentence, defines, search, unmaskedBy }) =>
    (large ? PROVIDERS : unmaskedBy).map((provider) => {
      const flags = [name, ...defines, ...definesOf(provider)];
      const expected = unmaskedBy.includes(provider) ? 'fails' : 'holds';
      return { line: `${sentence} | ${flags.join(' ')}`, question: { defines: flags, search }, expected };
    }),
  );

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

function tell({ line, expected }: Asked, answer: Answer): void {
  const { states, depth, seconds } = answer;
  const verdict = answer.kind === 'holds' ? 'holds' : `fails: ${answer.property}`;
  const surprise = answer.kind === expected ? '' : ` | NOT AS EXPECTED (${expected})`;
  const figures = `${states.toLocaleString('en')} states | depth ${depth} | ${seconds.toFixed(1)} s`;
  print(`${line} | ${verdict} | ${figures}${surprise}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      large: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void print(USAGE);
  const missing = whatIsMissing();
  if (missing !== undefined) throw new Error(missing);
  for (const asked of [...ofProtocol(values.large), ...ofMutants(values.large)]) {
    if (!asked.line.includes(values.only)) continue;
    const answer = await ask({ ...asked.question, timeoutMs: TIMEOUT_MS });
    tell(asked, answer);
    if (answer.kind === 'fails' && values.trace) print(answer.trace);
    if (answer.kind !== asked.expected) process.exitCode = 1;
  }
}

await main();
