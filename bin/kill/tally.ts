/** What was done to the service. */
export interface Tally {
  kills: number;
  readonly killsAt: Map<string, number>;
  freezes: number;
  /** Of these, longer than any lease. */
  longFreezes: number;
  lostReplies: number;
  heldWrites: number;
  engineOutages: number;
  providerOutages: number;
  providerFaults: number;
  webhookFaults: number;
}

export const newTally = (): Tally => ({
  kills: 0,
  killsAt: new Map(),
  freezes: 0,
  longFreezes: 0,
  lostReplies: 0,
  heldWrites: 0,
  engineOutages: 0,
  providerOutages: 0,
  providerFaults: 0,
  webhookFaults: 0,
});

export function noteKill(tally: Tally, point: string): void {
  tally.kills += 1;
  tally.killsAt.set(point, (tally.killsAt.get(point) ?? 0) + 1);
}

export function addTally(sum: Tally, more: Tally): void {
  for (const [point, kills] of more.killsAt) sum.killsAt.set(point, (sum.killsAt.get(point) ?? 0) + kills);
  sum.kills += more.kills;
  sum.freezes += more.freezes;
  sum.longFreezes += more.longFreezes;
  sum.lostReplies += more.lostReplies;
  sum.heldWrites += more.heldWrites;
  sum.engineOutages += more.engineOutages;
  sum.providerOutages += more.providerOutages;
  sum.providerFaults += more.providerFaults;
  sum.webhookFaults += more.webhookFaults;
}
