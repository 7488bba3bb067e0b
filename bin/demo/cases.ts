import type { Payment, Seen, Service } from './service.ts';
import { attempt, heading, say, total } from './text.ts';

/** What a case comes to, for the table at the end. */
export interface Case {
  readonly title: string;
  readonly attempts: number;
  readonly charges: number;
}

const ATTEMPTS = 3;

/** Charges at once, answers after 2 s: time enough to die in between. */
const SLOW = 'pm_sim_slow';
const CARD = 'pm_card_visa';

const order = (orderId: string, paymentMethod: string, lostAnswers = 0): Payment => ({
  orderId,
  paymentMethod,
  lostAnswers,
});

/** What a service without keys makes of a client that asks again: every attempt is a payment of its own. */
export async function withoutKey(service: Service): Promise<Case> {
  heading(
    'Without a key',
    'every attempt is a new payment (here with a key and an order of its own: the API takes none without)',
  );
  const orders = Array.from({ length: ATTEMPTS }, (_, at) => order(`without-${at}`, CARD, at < ATTEMPTS - 1 ? 1 : 0));
  const seen = await Promise.all(orders.map((payment) => service.pay(payment, false)));
  for (const [at, each] of seen.entries()) attempt(at + 1, each[0] ?? { kind: 'lost' });
  const counts = await Promise.all(orders.map(({ orderId }) => service.charges(orderId)));
  return conclude(
    'without a key',
    ATTEMPTS,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

export async function withKey(service: Service): Promise<Case> {
  heading('With one key', 'the same attempts, and every one shows the same ticket');
  const seen = await service.pay(order('with', CARD, ATTEMPTS - 1), true);
  for (const [at, each] of seen.entries()) attempt(at + 1, each);
  return conclude('with one key', seen.length, await service.charges('with'));
}

/** Two customers whose function is killed; only the first one asks again. */
export interface Crashed {
  readonly retried: Promise<readonly Seen[]>;
  readonly abandoned: Promise<readonly Seen[]>;
}

export async function crash(service: Service): Promise<Crashed> {
  await service.loseWebhooks();
  const retried = service.pay(order('crash-retried', SLOW), true);
  const abandoned = service.pay(order('crash-abandoned', SLOW), false);
  await service.untilCharged(['crash-retried', 'crash-abandoned']);
  await service.killFunction();
  return { retried, abandoned };
}

export async function tellCrash(service: Service, { retried, abandoned }: Crashed): Promise<readonly Case[]> {
  heading('Killed after the charge', 'nobody wrote it down, and the webhook of the provider is lost as well');
  const seen = await retried;
  for (const [at, each] of seen.entries()) attempt(at + 1, each);
  settled(await service.settledBy('crash-retried'));
  const found = conclude('killed, and asked again', seen.length, await service.charges('crash-retried'));

  heading('Killed, and nobody asks again', 'the customer has closed the app, too');
  const [only = { kind: 'lost' as const }] = await abandoned;
  attempt(1, only);
  await service.reconcile('crash-abandoned');
  settled(await service.settledBy('crash-abandoned'));
  return [found, conclude('killed, and left alone', 1, await service.charges('crash-abandoned'))];
}

const settled = (by: string): void =>
  say(`     Settled by the ${by}: it asked the provider, found the charge, and wrote the answer down.`);

function conclude(title: string, attempts: number, charges: number): Case {
  total(charges);
  return { title, attempts, charges };
}
