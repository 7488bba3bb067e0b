import { LocalRunError } from './local-run-error.ts';
import { launchProvider, type ProviderProcess } from './provider-process.ts';
import { Relay } from './relay.ts';

export interface Provider {
  /** Where the service reaches it; refused while it is down. */
  readonly url: string;
  /** Where the controls reach it, down or not. */
  readonly controlUrl: string;
  /** Takes the provider out of reach, as an outage would, and cuts its webhooks off; what it holds is kept. */
  stop(): Promise<void>;
  /** Brings it back on the same port; a provider that has ended is started anew. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderOptions {
  readonly port: number;
  readonly dataDirectory: string | undefined;
  /** Where its webhooks go; undefined where nobody waits for them. */
  readonly webhook: WebhookTarget | undefined;
  readonly log: (line: string) => void;
  readonly entry?: string | undefined;
}

export interface WebhookTarget {
  /** On this machine. */
  readonly port: number;
  readonly path: string;
  readonly secret: string;
}

/** Starts the provider's simulator behind relays: one for the calls to it, one for its webhooks. */
export async function startProvider(options: ProviderOptions): Promise<Provider> {
  const provider = new SimulatedProvider(options);
  try {
    await provider.start();
  } catch (error) {
    await provider.close();
    throw error;
  }
  return provider;
}

class SimulatedProvider implements Provider {
  readonly #options: ProviderOptions;
  readonly #calls: Relay;
  readonly #webhooks: Relay;
  #process: ProviderProcess | undefined;
  #launching: Promise<ProviderProcess> | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#calls = new Relay(() => Number(new URL(this.controlUrl).port), options.port);
    this.#webhooks = new Relay(() => options.webhook?.port ?? 0);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#calls.port}`;
  }

  get controlUrl(): string {
    return this.#process?.url ?? this.url;
  }

  async start(): Promise<void> {
    if (this.#options.webhook) await this.#webhooks.open();
    if (!this.#process) {
      this.#launching ??= this.#launch().finally(() => {
        this.#launching = undefined;
      });
      await this.#launching;
    }
    await this.#openCalls();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#calls.close(), this.#webhooks.close()]);
  }

  async close(): Promise<void> {
    await this.stop();
    const running = this.#process;
    this.#process = undefined;
    await running?.stop();
  }

  async #launch(): Promise<ProviderProcess> {
    const { dataDirectory, webhook, log, entry } = this.#options;
    const launched = await launchProvider({
      dataDirectory,
      log,
      entry,
      webhook: webhook && {
        url: `http://127.0.0.1:${this.#webhooks.port}${webhook.path}`,
        secret: webhook.secret,
      },
    });
    this.#process = launched;
    void launched.ended.then(() => this.#ended(launched));
    return launched;
  }

  async #openCalls(): Promise<void> {
    try {
      await this.#calls.open();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // What a listener throws.
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      const port = `PROVIDER_PORT ${this.#options.port}`;
      throw new LocalRunError('port-in-use', `${port} cannot be used (${code}). Choose another, or 0 for a free one.`);
    }
  }

  /** One that we did not stop has failed: calls are refused until it is started again. */
  #ended(which: ProviderProcess): void {
    if (this.#process !== which) return;
    this.#process = undefined;
    void this.stop();
    this.#options.log('has ended; every call to it is refused');
  }
}
