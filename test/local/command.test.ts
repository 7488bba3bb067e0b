import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../../lib/local/listen.ts';
import { ASSEMBLY } from './support.ts';

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'local.ts');

interface Command {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const commands: Command[] = [];
afterEach(async () => {
  for (const { child } of commands) child.kill('SIGKILL');
  await Promise.all(commands.splice(0).map(({ ended }) => ended));
});

function start(env: Record<string, string> = {}, assembly = ASSEMBLY): Command {
  let output = '';
  const child = spawn(process.execPath, [COMMAND, assembly], {
    env: { PATH: process.env['PATH'], PORT: '0', PROVIDER_PORT: '0', ...env },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const command = { child, output: () => output, ended: once(child, 'exit').then(([code]) => code) };
  commands.push(command);
  return command;
}

async function ready(command: Command): Promise<string> {
  await until(() => /^Ready /m.test(command.output()) || command.child.exitCode !== null);
  return /^Ready (\S+)/m.exec(command.output())?.[1] ?? expect.fail(command.output());
}

interface Row {
  readonly pid: number;
  readonly parent: number;
}

/** All processes but those that have ended and were not waited for yet. */
function processes(): Row[] {
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,stat'], { encoding: 'utf8' }).trim().split('\n').slice(1);
  return rows.flatMap((row) => {
    const [pid, parent, state] = row.trim().split(/\s+/);
    return state?.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

/** Everything below the command. */
function descendants(root: number | undefined, all = processes()): number[] {
  return all.flatMap(({ pid, parent }) => (parent === root ? [pid, ...descendants(pid, all)] : []));
}

function alive(pids: readonly number[]): number[] {
  const living = new Set(processes().map(({ pid }) => pid));
  return pids.filter((pid) => living.has(pid));
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 750 && !condition(); tries += 1) await sleep(20);
  expect(condition()).toBe(true);
}

const refuses = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

describe('the local run as a command', () => {
  it('says where it is and gives a request to paste that works', async () => {
    const command = start();
    const url = await ready(command);
    const [pasted] = /^curl[\s\S]*?\n$/m.exec(command.output()) ?? [];
    expect(pasted).toContain(`${url}/payments`);
    const echoed = execFileSync('bash', ['-c', String(pasted).replace(`${url}/payments`, `${url}/echo`)], {
      encoding: 'utf8',
    });
    const { event } = JSON.parse(echoed.slice(echoed.indexOf('\r\n\r\n')));
    expect(JSON.parse(event.body)).toEqual({
      orderId: 'order-1',
      amount: 100000,
      currency: 'UZS',
      paymentMethod: 'pm_card_visa',
    });
    expect(event.headers['idempotency-key']).toBe('my-first-payment');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves neither process nor port behind after %s', async (signal) => {
    const command = start();
    const url = await ready(command);
    const working = fetch(`${url}/open?do=spin`).catch(() => undefined);
    await sleep(300);
    const below = descendants(command.child.pid);
    expect(below.length).toBeGreaterThan(5);
    command.child.kill(signal);
    expect(await command.ended).toBe(0);
    await working;
    expect(alive(below)).toEqual([]);
    expect(await refuses(url)).toBe(true);
  });

  it('takes everything along when it is killed outright, also what is in the middle of a request', async () => {
    const command = start({ FUNCTION_TIMEOUT_SECONDS: '60' });
    const url = await ready(command);
    const working = fetch(`${url}/open?do=sleep&ms=60000`).catch(() => undefined);
    await sleep(300);
    const below = descendants(command.child.pid);
    command.child.kill('SIGKILL');
    await command.ended;
    await working;
    await until(() => alive(below).length === 0);
  });

  it('can be stopped while it starts', async () => {
    const command = start();
    let below: number[] = [];
    await until(() => {
      below = descendants(command.child.pid);
      return below.length > 1;
    });
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(0);
    expect(alive(below)).toEqual([]);
    expect(command.output()).not.toContain('Ready');
  });

  it.each(['PORT', 'PROVIDER_PORT'])('names %s when it is in use, and leaves nothing behind', async (name) => {
    const server = createServer();
    const port = await listen(server, 0);
    const command = start({ [name]: String(port) });
    const seen = new Set<number>();
    while (command.child.exitCode === null) {
      for (const pid of descendants(command.child.pid)) seen.add(pid);
      await sleep(20);
    }
    server.close();
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(`${port}`);
    expect(command.output()).toContain(name);
    expect(command.output()).not.toContain('    at ');
    await until(() => alive([...seen]).length === 0);
  });

  it.each([
    ['RETENTION_SECONDS must be a whole number', { RETENTION_SECONDS: 'a day' }, ASSEMBLY],
    ['Run `npx cdk synth` first', {}, join(ASSEMBLY, 'nothing')],
  ])('ends with one clear line: %s', async (reason, env, assembly) => {
    const command = start(env, assembly);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(reason);
    expect(command.output().trim().split('\n')).toHaveLength(1);
  });
});
