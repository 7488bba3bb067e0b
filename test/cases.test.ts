import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const table = readFileSync(join(import.meta.dirname, 'cases.md'), 'utf8');
const rows = [...table.matchAll(/^\| ([A-K]\d+) \| ([^|]+) \| ([^|]*) \|$/gm)].map(([, id, , files]) => ({
  id: id as string,
  files: [...(files as string).matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file as string),
}));

it('every case has a test that names it', () => {
  expect(rows.length).toBeGreaterThan(70);
  expect(rows.filter(({ files }) => files.length === 0)).toEqual([]);
  const strays = rows.flatMap(({ id, files }) => {
    const comment = new RegExp(`(//|\\*).*\\b${id}\\b`);
    return files
      .filter((file) => !comment.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
      .map((file) => `${id} ${file}`);
  });
  expect(strays).toEqual([]);
});
