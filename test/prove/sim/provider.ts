import type { EffectCall, Evidence } from '../../../lib/idempotency/effect.ts';
import type { PaymentCommand } from '../../../lib/payments/command.ts';
import { METHODS } from './scenario.ts';

type Call = EffectCall<PaymentCommand>;

/** A payment at the provider. */
export interface Intent {
  readonly ref: string;
  readonly key: string;
  readonly operation: string;
  readonly pk: string;
  readonly command: PaymentCommand;
  status: 'succeeded' | 'processing' | 'failed' | 'declined';
}

/** One movement of money. */
export interface Movement {
  readonly intent: Intent;
  readonly generation: string;
}

export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly intent: Intent;
}

/** What the key remembers: a payment, a closed door, or a failure. */
interface Remembered {
  readonly parameters: string;
  readonly at: number;
  readonly what: Intent | 'closed' | 'failure';
}

export interface ProviderOptions {
  readonly dedupes: boolean;
  readonly keyMemoryMs: number;
  readonly now: () => number;
  /** Names the generation of the claim at this moment. */
  readonly generationOf: (pk: string) => string;
}

const parametersOf = ({ operation, command }: Call): string =>
  `${operation} ${command.orderId} ${command.amount} ${command.currency} ${command.paymentMethod}`;

const unknown = (reason: string): Evidence => ({ kind: 'unknown', reason });
const usedUp: Evidence = { kind: 'used-up', reason: 'the key was used with other parameters' };

/** A provider with Stripe's semantics of keys, seen through the adapter's eyes: it answers with evidence. */
export class SimProvider {
  readonly intents: Intent[] = [];
  readonly movements: Movement[] = [];
  readonly events: ProviderEvent[] = [];
  /** Keys whose failure is remembered: their operations wait for an operator. */
  readonly stuck = new Set<string>();
  readonly keys = new Map<string, Remembered>();
  readonly #options: ProviderOptions;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  perform(call: Call, how: 'charge' | 'refuse' | 'fail'): Evidence {
    const known = this.#remembered(call.key);
    if (known !== undefined) return this.#replay(call, known);
    if (how === 'refuse') return { kind: 'refused', reason: 'a parameter was refused' };
    const what = how === 'charge' ? this.#charge(call) : 'failure';
    this.#remember(call, parametersOf(call), what);
    if (what === 'failure') {
      this.stuck.add(call.operation);
      return unknown('a failure of the provider');
    }
    return evidenceOf(what, call);
  }

  lookup(call: Call, isLagging: boolean): Evidence {
    const intent =
      call.providerRef === undefined
        ? this.intents.find(({ operation }) => operation === call.operation)
        : this.intents.find(({ ref }) => ref === call.providerRef);
    if (intent !== undefined && !isLagging) return evidenceOf(intent, call);
    return this.#options.dedupes ? { kind: 'absent' } : unknown('nothing was found, and that proves nothing');
  }

  close(call: Call): Evidence {
    if (!this.#options.dedupes) return unknown('this provider closes no doors');
    const parameters = `close ${call.operation}`;
    const known = this.#remembered(call.key);
    if (known === undefined) this.#remember(call, parameters, 'closed');
    return known === undefined || known.parameters === parameters ? { kind: 'closed' } : usedUp;
  }

  /** The bank decides about the oldest payment that is under way. */
  conclude(): void {
    const intent = this.intents.find(({ status }) => status === 'processing');
    if (intent === undefined) return;
    this.#move(intent, intent.command.paymentMethod === METHODS.asyncBad ? 'failed' : 'succeeded');
  }

  get isProcessing(): boolean {
    return this.intents.some(({ status }) => status === 'processing');
  }

  #remembered(key: string): Remembered | undefined {
    const { dedupes, keyMemoryMs, now } = this.#options;
    const known = this.keys.get(key);
    return dedupes && known !== undefined && now() < known.at + keyMemoryMs ? known : undefined;
  }

  #remember({ key }: Call, parameters: string, what: Remembered['what']): void {
    this.keys.set(key, { parameters, at: this.#options.now(), what });
  }

  #replay(call: Call, { parameters, what }: Remembered): Evidence {
    if (typeof what === 'object' && what.operation !== call.operation)
      return { kind: 'foreign', reason: `${what.ref} is of another operation` };
    if (parameters !== parametersOf(call) || what === 'closed') return usedUp;
    return what === 'failure' ? { kind: 'used-up', reason: 'a stored failure' } : evidenceOf(what, call);
  }

  #charge({ key, operation, pk, command }: Call): Intent {
    const ref = `pi_${this.intents.length + 1}`;
    const intent: Intent = { ref, key, operation, pk, command, status: 'processing' };
    this.intents.push(intent);
    const { paymentMethod } = command;
    if (paymentMethod === METHODS.declined) this.#move(intent, 'declined');
    else if (paymentMethod === METHODS.asyncGood || paymentMethod === METHODS.asyncBad) this.#tell(intent);
    else this.#move(intent, 'succeeded');
    return intent;
  }

  #move(intent: Intent, status: Intent['status']): void {
    intent.status = status;
    if (status === 'succeeded') this.movements.push({ intent, generation: this.#options.generationOf(intent.pk) });
    this.#tell(intent);
  }

  #tell(intent: Intent): void {
    const type = EVENT_TYPES[intent.status];
    this.events.push({ id: `evt_${this.events.length + 1}`, type, intent });
  }
}

const EVENT_TYPES: Readonly<Record<Intent['status'], string>> = {
  succeeded: 'payment_intent.succeeded',
  processing: 'payment_intent.processing',
  failed: 'payment_intent.payment_failed',
  declined: 'payment_intent.payment_failed',
};

/** The adapter's reading of a payment: bound to this operation, order and amount, or foreign. */
function evidenceOf(intent: Intent, { operation, command }: Call): Evidence {
  const { ref, status } = intent;
  const isBound =
    intent.operation === operation &&
    intent.command.orderId === command.orderId &&
    intent.command.amount === command.amount;
  if (!isBound) return { kind: 'foreign', reason: `${ref} is of another payment` };
  if (status === 'succeeded' || status === 'processing')
    return { kind: 'outcome', outcome: { result: 'performed', ref, detail: { status } } };
  return { kind: 'outcome', outcome: { result: 'declined', ref, detail: { code: 'card_declined' } } };
}
