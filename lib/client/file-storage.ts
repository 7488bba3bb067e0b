import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { IntentionStorage } from './storage.ts';

/** Each lost race means that another process won one. */
const RACES_MAX = 100;

export interface FileStorageOptions {
  /** For intentions only; made where it is missing. */
  readonly directory: string;
  /** Whether the directory itself is flushed, so that a file outlives a power cut. @default not on Windows, which cannot */
  readonly flushesDirectories?: boolean;
}

/** What is kept of one name: the highest version counts, and an empty one says that the name was let go. */
interface Version {
  readonly number: number;
  readonly text: string;
}

/**
 * Intentions in files, for programs on Node: atomic among all processes that share the directory of one local file
 * system, and on the disk when a promise resolves.
 *
 * Every write is a new version, made complete beside the others and then linked to a name that must not exist yet: that
 * is the one step of a file system that both compares and writes. The files are readable by their owner only.
 */
export function fileStorage({
  directory,
  flushesDirectories = process.platform !== 'win32',
}: FileStorageOptions): IntentionStorage {
  /** A hash, because names may hold what paths cannot. */
  const folderOf = (name: string): string => join(directory, createHash('sha256').update(name).digest('hex'));

  async function readVersion(name: string): Promise<Version | undefined> {
    const folder = folderOf(name);
    for (let race = 0; race < RACES_MAX; race += 1) {
      const number = (await numbersIn(folder))[0];
      if (number === undefined) return undefined;
      const text = await readFile(join(folder, String(number)), 'utf8').catch(absent);
      if (text !== undefined) return { number, text };
    }
    throw new Error(`${folder} changes faster than it can be read.`);
  }

  async function write(name: string, expected: string | undefined, text: string): Promise<boolean> {
    const found = await readVersion(name);
    if ((found?.text || undefined) !== expected) return false;
    const folder = folderOf(name);
    const number = (found?.number ?? 0) + 1;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `draft-${randomUUID()}`);
    await flushedWrite(draft, text);
    const isLinked = link(draft, join(folder, String(number))).then(() => true, unless('EEXIST'));
    if (!(await isLinked.finally(() => unlink(draft)))) return false;
    return await prevails(folder, number);
  }

  /** A slow writer may link a number that others have passed and removed meanwhile; then it was not the winner. */
  async function prevails(folder: string, number: number): Promise<boolean> {
    if (flushesDirectories) for (const place of [folder, directory]) await flush(place);
    const numbers = await numbersIn(folder);
    const isLast = numbers[0] === number;
    const outdated = isLast ? numbers.slice(1) : [number];
    for (const old of outdated) await unlink(join(folder, String(old))).catch(absent);
    return isLast;
  }

  return {
    read: async (name) => (await readVersion(name))?.text || undefined,
    create: (name, text) => write(name, undefined, text),
    replace: (name, expected, text) => write(name, expected, text),
    remove: (name, expected) => write(name, expected, ''),
  };
}

/** Highest first. */
async function numbersIn(folder: string): Promise<readonly number[]> {
  const files = (await readdir(folder).catch(absent)) ?? [];
  return files
    .filter((file) => /^\d+$/.test(file))
    .map(Number)
    .sort((a, b) => b - a);
}

async function flushedWrite(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flush(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For whom one kind of error is an answer. */
const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined;
    throw error;
  };
const absent = unless('ENOENT');
