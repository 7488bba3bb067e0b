import { describe, expect, it } from 'vitest';
import { CONFIGURATIONS, definesOf, PROVIDERS } from './configurations.ts';
import { MUTANTS } from './mutants.ts';
import { ask, whatIsMissing } from './spin.ts';

/** `large` also searches what takes minutes. */
const SIZES: readonly string[] = process.env['MODEL_SIZE'] === 'large' ? ['default', 'large'] : ['default'];

/** The slowest default search takes half a minute on a core of its own, the slowest large one ten. */
const TIMEOUT_MS = SIZES.includes('large') ? 30 * 60_000 : 5 * 60_000;

const missing = whatIsMissing();

for (const provider of PROVIDERS) {
  describe(`the model, with a provider that ${provider}`, { timeout: TIMEOUT_MS }, () => {
    const configurations = CONFIGURATIONS.filter(
      ({ size, providers = PROVIDERS }) => SIZES.includes(size) && providers.includes(provider),
    );
    for (const { sentence, defines, search } of configurations) {
      it(sentence, async ({ skip }) => {
        skip(missing !== undefined, missing);
        const answer = await ask({ defines: [...defines, ...definesOf(provider)], search, timeoutMs: TIMEOUT_MS });
        expect(answer, 'trace' in answer ? answer.trace : '').toMatchObject({ kind: 'holds' });
      });
    }

    for (const { name, sentence, defines, search } of MUTANTS.filter(({ unmaskedBy }) =>
      unmaskedBy.includes(provider),
    )) {
      it(`a protocol that ${sentence} is found (${name})`, async ({ skip }) => {
        skip(missing !== undefined, missing);
        const question = { defines: [name, ...defines, ...definesOf(provider)], search, timeoutMs: TIMEOUT_MS };
        expect(await ask(question)).toMatchObject({ kind: 'fails' });
      });
    }
  });
}

describe('the mutants', () => {
  it('are each found with at least one kind of provider', () => {
    expect(MUTANTS.filter(({ unmaskedBy }) => unmaskedBy.length === 0)).toEqual([]);
  });
});
