import { beforeAll, describe, expect, it } from 'vitest';
import { type Cell, compare } from './comparison.ts';
import { SCENARIOS } from './scenarios.ts';
import { SUBJECTS } from './subject.ts';

/** A short form of `node test/peer/main.ts`, with the provider that does not dedupe. */
const COMPARISON_MS_MAX = 300_000;

const plain = SUBJECTS.filter(({ bankDedupes }) => !bankDedupes);
const KILLED = 'killed during the charge, then retried';

let cells: readonly Cell[];
beforeAll(async () => {
  cells = await compare({ times: 1, concurrency: 5, subjects: plain });
}, COMPARISON_MS_MAX);

const of = (isChipta: boolean): readonly Cell[] => {
  const names = plain.filter((subject) => subject.isChipta === isChipta).map(({ name }) => name);
  return cells.filter(({ subject }) => names.includes(subject));
};

describe('a provider that does not dedupe', () => {
  it('is never made to charge twice by Chipta, whatever happens', () => {
    expect(of(true).map(({ scenario, doubles }) => [scenario, doubles])).toEqual(
      SCENARIOS.map(({ name }) => [name, 0]),
    );
  });

  it('leaves no client of Chipta without an answer', () => {
    expect(of(true).filter(({ unanswered }) => unanswered > 0)).toEqual([]);
  });

  it('is found to charge twice where a library runs the handler again, so that the harness would notice', () => {
    const killed = of(false).filter(({ scenario }) => scenario === KILLED);
    expect(killed.map(({ doubles }) => doubles)).toEqual([1, 1]);
  });

  it('is not called double where both do well', () => {
    const answered = of(false).filter(({ scenario }) => scenario === 'asked again after the answer');
    expect(answered.map(({ doubles }) => doubles)).toEqual([0, 0]);
  });
});
