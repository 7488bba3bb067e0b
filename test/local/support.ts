import { join } from 'node:path';
import { startLocalRun } from '../../lib/local/local-run.ts';
import { readSettings } from '../../lib/local/settings.ts';

export const ASSEMBLY = join(import.meta.dirname, 'fixtures', 'assembly');

/** One with queues and a route for webhooks. */
export const MESSAGES = join(import.meta.dirname, 'fixtures', 'messages');

export interface RunningFixture {
  readonly url: string;
  /** What the functions and the engine had to say. */
  readonly log: string[];
  stop(): Promise<void>;
  token(query?: string): Promise<string>;
  /** Calls a route with a valid token. */
  call(path: string, init?: RequestInit): Promise<Response>;
}

/** The local run over a fixture's assembly, on free ports. */
export async function startFixture(
  env: Record<string, string> = {},
  assemblyDirectory = ASSEMBLY,
): Promise<RunningFixture> {
  const log: string[] = [];
  const { url, stop } = await startLocalRun({
    assemblyDirectory,
    settings: readSettings({ PORT: '0', PROVIDER_PORT: '0', ...env }),
    log: (line) => log.push(line),
  });
  const token = async (query = 'sub=alice') => (await fetch(`${url}/local/token?${query}`)).text();
  const authorization = `Bearer ${await token()}`;
  return {
    url,
    log,
    stop,
    token,
    call: (path, init) => fetch(`${url}${path}`, { ...init, headers: { authorization, ...init?.headers } }),
  };
}

/** What a test then looks into is the test's to know. */
export const bodyOf = async (response: Response) => JSON.parse(await response.text());
