import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../../lib/client/memory-storage.ts';
import { type WebArea, type WebLocks, webStorage } from '../../lib/client/web-storage.ts';
import { storageContract } from './storage-contract.ts';

function fakeArea(): WebArea & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
}

storageContract('the storage in memory', () => {
  const storage = memoryStorage();
  return { reopen: () => storage };
});

storageContract('the storage of a browser with Web Locks', () => {
  const area = fakeArea();
  return { reopen: () => webStorage({ area, locks: navigator.locks }) };
});

storageContract('the storage of a browser without Web Locks', () => {
  vi.stubGlobal('navigator', undefined);
  const area = fakeArea();
  return { reopen: () => webStorage({ area }) };
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the storage of a browser', () => {
  it('is localStorage under navigator.locks, with a prefix', async () => {
    const area = fakeArea();
    const locked: string[] = [];
    const locks: WebLocks = {
      request: (name, work) => {
        locked.push(name);
        return work();
      },
    };
    vi.stubGlobal('localStorage', area);
    vi.stubGlobal('navigator', { locks });
    await webStorage().create('checkout', 'text');
    await webStorage({ prefix: 'shop/' }).create('checkout', 'other');
    expect([...area.texts]).toEqual([
      ['chipta:checkout', 'text'],
      ['shop/checkout', 'other'],
    ]);
    expect(locked).toEqual(['chipta:checkout', 'shop/checkout']);
  });

  it('can be made where there is no localStorage, and says so when it is used', async () => {
    vi.stubGlobal('localStorage', undefined);
    const storage = webStorage();
    await expect(storage.read('checkout')).rejects.toThrow();
    await expect(storage.create('checkout', 'text')).rejects.toThrow();
  });

  it('never says that it wrote what is not there afterwards', async () => {
    const silent: WebArea = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
    expect(await webStorage({ area: silent }).create('checkout', 'text')).toBe(false);
  });

  it('rejects when the quota is used up', async () => {
    const full: WebArea = {
      ...fakeArea(),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    await expect(webStorage({ area: full }).create('checkout', 'text')).rejects.toThrow('full');
  });
});
