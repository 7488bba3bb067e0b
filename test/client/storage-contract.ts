import { describe, expect, it } from 'vitest';
import type { IntentionStorage } from '../../lib/client/storage.ts';

/** What every storage of intentions must do; `reopen` gives the same one to another tab or process. */
export function storageContract(name: string, make: () => { reopen(): IntentionStorage }): void {
  describe(name, () => {
    it('keeps what was created, also for whoever comes later', async () => {
      const place = make();
      expect(await place.reopen().read('a')).toBeUndefined();
      expect(await place.reopen().create('a', 'one ✓')).toBe(true);
      expect(await place.reopen().read('a')).toBe('one ✓');
      expect(await place.reopen().read('b')).toBeUndefined();
    });

    it('creates only where nothing is kept', async () => {
      const storage = make().reopen();
      await storage.create('a', 'one');
      expect(await storage.create('a', 'two')).toBe(false);
      expect(await storage.read('a')).toBe('one');
    });

    it('replaces and removes only what is expected', async () => {
      const storage = make().reopen();
      expect(await storage.replace('a', 'one', 'two')).toBe(false);
      expect(await storage.remove('a', 'one')).toBe(false);
      await storage.create('a', 'one');
      expect(await storage.replace('a', 'other', 'two')).toBe(false);
      expect(await storage.replace('a', 'one', 'two')).toBe(true);
      expect(await storage.remove('a', 'one')).toBe(false);
      expect(await storage.read('a')).toBe('two');
      expect(await storage.remove('a', 'two')).toBe(true);
      expect(await storage.read('a')).toBeUndefined();
    });

    it('creates again what was removed', async () => {
      const storage = make().reopen();
      for (const text of ['one', 'two', 'one']) {
        expect(await storage.create('a', text)).toBe(true);
        expect(await storage.remove('a', text)).toBe(true);
      }
      expect(await storage.read('a')).toBeUndefined();
    });

    it('lets one of many creators win, and one of many that replace the same', async () => {
      const place = make();
      const many = Array.from({ length: 12 }, (_, index) => [place.reopen(), `text ${index}`] as const);
      const created = await Promise.all(many.map(([storage, text]) => storage.create('a', text)));
      expect(created.filter(Boolean)).toHaveLength(1);
      const winner = many[created.indexOf(true)]?.[1] ?? '';
      expect(await place.reopen().read('a')).toBe(winner);

      const replaced = await Promise.all(many.map(([storage, text]) => storage.replace('a', winner, `${text}, later`)));
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect(await place.reopen().read('a')).toBe(`${many[replaced.indexOf(true)]?.[1]}, later`);
    });

    it('takes any text for a name', async () => {
      const storage = make().reopen();
      const names = ['..', '../a', '/etc/passwd', 'A', 'a', '', 'чек/1', 'x'.repeat(1000), 'con', '\0'];
      for (const each of names) expect(await storage.create(each, `kept as ${each}`)).toBe(true);
      for (const each of names) expect(await storage.read(each)).toBe(`kept as ${each}`);
    });
  });
}
