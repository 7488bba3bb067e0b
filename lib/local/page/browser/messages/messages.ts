import type { ClaimView } from '../../wire.ts';
import type { PluralForms, Words } from '../format.ts';
import type { ScenarioId } from '../scenarios.ts';

interface Choice {
  readonly title: string;
  readonly hint: string;
}

/** Everything that the page says. `{…}` are filled in. */
export interface Messages {
  readonly words: Words;
  readonly tagline: string;
  readonly skip: string;
  readonly languageLabel: string;
  readonly viewsLabel: string;
  readonly disconnected: string;
  readonly checkout: {
    readonly title: string;
    readonly lead: string;
    readonly order: string;
    readonly question: string;
    readonly pay: string;
    readonly askAgain: string;
    readonly scenarios: Readonly<Record<ScenarioId, Choice>>;
  };
  readonly status: {
    readonly ready: string;
    readonly paying: string;
    readonly waiting: string;
    readonly paid: string;
    readonly declined: string;
    readonly keyless: string;
    readonly refused: string;
    readonly unknown: string;
    readonly resumed: string;
    readonly slowSettings: string;
  };
  readonly counts: {
    readonly title: string;
    readonly withKey: string;
    readonly withoutKey: string;
    readonly charges: PluralForms;
    readonly pending: string;
    readonly comparing: string;
    readonly explanation: string;
  };
  readonly stage: {
    readonly title: string;
    readonly lead: string;
    readonly stations: readonly [string, string, string, string, string, string];
    readonly none: string;
    readonly attempt: string;
    readonly outbound: string;
    readonly service: string;
    readonly returning: string;
    readonly lostBefore: string;
    readonly lostAfter: string;
    readonly abandoned: string;
    readonly retryAfter: string;
    readonly answers: {
      readonly paid: string;
      readonly replayed: string;
      readonly declined: string;
      readonly inProgress: string;
      readonly pending: string;
      readonly reused: string;
      readonly keyMissing: string;
      readonly crashed: string;
      readonly other: string;
    };
  };
  readonly ticket: {
    readonly title: string;
    readonly none: string;
    readonly fresh: string;
    readonly states: Readonly<Record<ClaimView['status'], string>>;
    readonly meanings: Readonly<Record<ClaimView['status'], string>>;
    readonly settledBy: string;
    readonly lease: string;
    readonly review: string;
  };
  readonly settlers: Readonly<Record<string, string>>;
  readonly ledger: {
    readonly title: string;
    readonly empty: string;
    readonly withKey: string;
    readonly withoutKey: string;
  };
  readonly operator: {
    readonly title: string;
    readonly lead: string;
    readonly open: string;
    readonly noneOpen: string;
    readonly finished: string;
    readonly noneFinished: string;
    readonly reconcile: string;
    readonly key: string;
    readonly order: string;
    readonly state: string;
    readonly age: string;
    readonly looks: string;
    readonly answer: string;
    readonly by: string;
    readonly lease: string;
  };
}
