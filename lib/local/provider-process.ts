import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LocalRunError } from './local-run-error.ts';

const PROVIDER_ENTRY = fileURLToPath(new URL('provider/main.ts', import.meta.url));

const START_MS_MAX = 10_000;
const STOP_MS_MAX = 1_000;

export interface ProviderProcess {
  readonly url: string;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ProviderProcessOptions {
  readonly dataDirectory: string | undefined;
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
  readonly log: (line: string) => void;
  readonly entry?: string | undefined;
}

/** Runs the provider's simulator on a free port; it ends by itself when its stdin closes, so that it never outlives us. */
export async function launchProvider(options: ProviderProcessOptions): Promise<ProviderProcess> {
  const { dataDirectory, webhook, log, entry } = options;
  const child = spawn(process.execPath, [entry ?? PROVIDER_ENTRY], {
    env: {
      PATH: process.env['PATH'],
      PROVIDER_PORT: '0',
      ...(dataDirectory === undefined ? {} : { DATA_DIR: dataDirectory }),
      ...(webhook === undefined ? {} : { WEBHOOK_URL: webhook.url, WEBHOOK_SECRET: webhook.secret }),
    },
    // A process group of its own: a Ctrl-C reaches us alone, and we end it in order.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<void>();
  const output: string[] = [];
  let url: string | undefined;
  child.stdin.on('error', () => undefined);
  child.once('error', () => ended.resolve());
  child.once('exit', () => ended.resolve());
  const stop = async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await ended.promise;
    clearTimeout(timer);
  };
  const note = (line: string) => {
    if (url === undefined) output.push(line);
    else log(line);
  };
  createInterface({ input: child.stderr }).on('line', note);
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const announced = /^listening (http:\/\/\S+)/.exec(line)?.[1];
      if (announced === undefined) note(line);
      else resolve(announced);
    });
  });
  url = await Promise.race([
    listening,
    ended.promise.then(() => undefined),
    sleep(START_MS_MAX, undefined, { ref: false }),
  ]);
  if (url !== undefined) return { url, ended: ended.promise, stop };
  await stop();
  throw new LocalRunError('provider-failed', `The provider's simulator did not start. ${output.join('\n')}`.trim());
}
