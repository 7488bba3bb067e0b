import { isLanguage, type Language } from './language.ts';
import { SCENARIO_IDS } from './scenarios.ts';
import type { Run } from './state.ts';

const PREFIX = 'chipta-page:';

/** What this browser remembers between visits. Without storage the page works and forgets. */
const read = (name: string): string | null => {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
};

const write = (name: string, text: string): void => {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // A payment is not made dearer by it: the client keeps its own record, and refuses to send without one.
  }
};

export function rememberedLanguage(): Language | undefined {
  const text = read('language');
  return isLanguage(text) ? text : undefined;
}

export const rememberLanguage = (language: Language): void => write('language', language);

/** Visitors are customers of their own, so that nobody meets another one's keys. */
export function visitor(makeId: () => string): string {
  const known = read('visitor');
  if (known !== null) return known;
  const made = `visitor-${makeId().slice(0, 8)}`;
  write('visitor', made);
  return made;
}

export const rememberRun = (run: Run): void => write('run', JSON.stringify(run));

export function rememberedRun(): Run | undefined {
  try {
    const run = JSON.parse(read('run') ?? 'null') as Run | null; // Only `rememberRun` writes it; the rest is checked.
    return run !== null && SCENARIO_IDS.includes(run.scenario) && typeof run.sent === 'number' ? run : undefined;
  } catch {
    return undefined;
  }
}
