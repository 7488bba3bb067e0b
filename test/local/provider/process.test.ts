import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProvider } from '../../../lib/local/provider/server.ts';
import { charge, INTENTS, speakTo } from './direct.ts';

const MAIN = fileURLToPath(new URL('../../../lib/local/provider/main.ts', import.meta.url));

const start = async (dataDir?: string): Promise<{ child: ChildProcessWithoutNullStreams; url: string }> => {
  const child = spawn(process.execPath, [MAIN], {
    env: { PROVIDER_PORT: '0', ...(dataDir === undefined ? {} : { DATA_DIR: dataDir }) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  expect(line).toMatch(/^listening http:\/\/127\.0\.0\.1:\d+$/);
  return { child, url: line.replace('listening ', '') };
};

const directory = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'provider-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

it('a simulator that is started again where another one was closed goes on from there', async () => {
  const dataDir = await directory();
  const first = await startProvider({ port: 0, dataDir });
  const made = await speakTo(first.url).post(INTENTS, { amount: '5', currency: 'usd' }, 'k');
  await speakTo(first.url).post(`${INTENTS}/${made.body['id']}/cancel`, {});
  await first.close();
  const second = await startProvider({ port: 0, dataDir });
  onTestFinished(() => second.close());
  const provider = speakTo(second.url);
  expect((await provider.get(`${INTENTS}/${made.body['id']}`)).body).toMatchObject({ status: 'canceled' });
  expect((await provider.get('/local/state')).body).toEqual({ intents: 1, movements: 0, keys: 1, faults: 0 });
});

it('a port that is taken is an error at once', async () => {
  const first = await startProvider({ port: 0 });
  onTestFinished(() => first.close());
  await expect(startProvider({ port: Number(new URL(first.url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

describe('the simulator as a process', () => {
  it.each([
    ['its stdin closes', (child: ChildProcessWithoutNullStreams) => void child.stdin.end()],
    ['it is told to terminate', (child: ChildProcessWithoutNullStreams) => void child.kill('SIGTERM')],
    ['it is interrupted', (child: ChildProcessWithoutNullStreams) => void child.kill('SIGINT')],
  ])('ends when %s, even with a call that hangs', async (_, end) => {
    const { child, url } = await start();
    const hanging = speakTo(url)
      .post(INTENTS, charge('pm_sim_hang'))
      .catch(() => 'lost');
    while ((await speakTo(url).ledger()).length === 0);
    const exited = once(child, 'exit');
    end(child);
    expect(await exited).toEqual([0, null]);
    expect(await hanging).toBe('lost');
  });

  it('keeps ledger, intents and keys across a kill, and cuts off a line that was torn', async () => {
    const dataDir = await directory();
    const first = await start(dataDir);
    const charged = await speakTo(first.url).post(INTENTS, charge(), 'k');
    await speakTo(first.url)
      .post(INTENTS, charge('pm_sim_drop'), 'k2')
      .catch(() => {});
    const ledger = await speakTo(first.url).ledger();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await appendFile(join(dataDir, 'provider.jsonl'), '{"intent":{"id":"pi_torn');

    for (const _ of ['with the torn line', 'with what was written after it']) {
      const next = await start(dataDir);
      const provider = speakTo(next.url);
      expect(await provider.ledger()).toEqual(ledger);
      const again = await provider.post(INTENTS, charge(), 'k');
      expect(again.body).toEqual(charged.body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await provider.get(`${INTENTS}/${charged.body['id']}`)).body).toEqual(charged.body);
      await provider.post(INTENTS, { amount: '5', currency: 'usd' });
      const exited = once(next.child, 'exit');
      next.child.stdin.end();
      await exited;
    }
  });
});
