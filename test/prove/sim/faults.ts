/** What may become of one call to a port, besides "it is carried out and answered". */
export type Fault =
  /** Carried out; the caller never goes on. */
  | 'crash'
  /** Carried out; the caller gets an error. */
  | 'lost'
  /** Not carried out (throttled, timed out, unreachable); the caller gets an error. */
  | 'failed'
  /** Carried out twice, as by a retrying SDK; the caller gets the second answer. */
  | 'twice'
  /** Carried out and answered; a duplicate arrives later. */
  | 'ghost'
  /** The caller gets an error; it is carried out later. */
  | 'late'
  /** Carried out; the answer takes its time, and others go first. */
  | 'slow'
  /** The index as it was some time ago. */
  | 'stale'
  /** The look-up does not show what was done. */
  | 'lagging'
  /** Provably not executed: 401, 403, 429. */
  | 'turned-away'
  /** Refused in validation: nothing happened and nothing is remembered. */
  | 'refused'
  /** Nothing happened, and the failure is remembered under the key. */
  | 'stored-500';

export type CallKind = 'write' | 'read' | 'due' | 'perform' | 'lookup' | 'close' | 'send' | 'sleep';

/** A crash at a call without effect is the crash before it, which is the one after the call before. */
const FAULTS: Readonly<Record<CallKind, readonly Fault[]>> = {
  write: ['crash', 'lost', 'failed', 'twice', 'ghost', 'late', 'slow'],
  read: ['failed', 'slow'],
  due: ['failed', 'stale', 'slow'],
  perform: ['crash', 'lost', 'failed', 'twice', 'ghost', 'late', 'slow', 'turned-away', 'refused', 'stored-500'],
  lookup: ['failed', 'slow', 'lagging'],
  close: ['crash', 'lost', 'failed', 'late', 'slow', 'turned-away'],
  send: ['crash', 'lost', 'failed', 'twice'],
  sleep: [],
};

/** Nobody can keep a provider that dedupes nothing from charging for a call that the network repeats. */
const WITHOUT_DEDUPE: Readonly<Record<CallKind, readonly Fault[]>> = {
  ...FAULTS,
  perform: FAULTS.perform.filter((fault) => fault !== 'twice' && fault !== 'ghost'),
  lookup: FAULTS.lookup.filter((fault) => fault !== 'lagging'),
};

/** `lost` is `late` that arrives at once. Where no leap of the clock is left, `slow` is a slow start of the next call. */
const withoutLost = (faults: typeof FAULTS): typeof FAULTS => mapped(faults, (fault) => fault !== 'lost');
const withoutSlow = (faults: typeof FAULTS): typeof FAULTS => mapped(faults, (fault) => fault !== 'slow');

function mapped(faults: typeof FAULTS, isKept: (fault: Fault) => boolean): typeof FAULTS {
  const kept = Object.entries(faults).map(([kind, list]) => [kind, list.filter(isKept)] as const);
  return Object.fromEntries(kept) as unknown as typeof FAULTS; // The same members.
}

const TABLES = [FAULTS, WITHOUT_DEDUPE].map((all) => ({
  all,
  reduced: withoutLost(all),
  final: withoutSlow(withoutLost(all)),
}));

/** The faults that may strike a call; in a reduced scenario only those that no others lead to. */
export function faultsOf(
  kind: CallKind,
  {
    dedupes,
    isReduced,
    leapsLeft,
  }: { readonly dedupes: boolean; readonly isReduced: boolean; readonly leapsLeft: number },
): readonly Fault[] {
  const tables = TABLES[dedupes ? 0 : 1] as (typeof TABLES)[number]; // There are two.
  if (!isReduced) return tables.all[kind];
  return (leapsLeft > 0 ? tables.reduced : tables.final)[kind];
}
