import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { chunksOf, inTempStore, SESSION } from '../support/temp-store.ts';

const HOUR = 3_600_000;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR);

const hashOf = async (store: ContentStore, text: string): Promise<string> => {
  const outcome = await store.put(SESSION, chunksOf(text));
  return outcome.kind === 'stored' ? outcome.content.sha256 : outcome.kind;
};

const isKept = async (store: ContentStore, sha256: string): Promise<boolean> => {
  const handle = await store.undo.open(sha256);
  await handle?.close();
  return handle !== undefined;
};

describe('content store: pruning', () => {
  it('content, drafts and temps go after 24 unused hours, undo copies after 7 days', async () => {
    await inTempStore(100, async ({ folder, store }) => {
      const session = randomUUID();
      await hashOf(store, 'content');
      await store.drafts.append(session, 0, chunksOf('draft'));
      await writeFile(join(folder, 'temps', randomUUID()), 'torn');
      const { sha256 } = await store.undo.storeCopy(chunksOf('before', Buffer.from([0xff])));
      expect(await store.prune(hoursFromNow(23))).toEqual({ removed: 0 });
      expect(await store.prune(hoursFromNow(25))).toEqual({ removed: 3 });
      expect(await store.drafts.readSize(session)).toBe(0);
      expect(await isKept(store, sha256)).toBe(true);
      expect(await store.prune(hoursFromNow(7 * 24 + 1))).toEqual({ removed: 1 });
      expect(await isKept(store, sha256)).toBe(false);
      expect((await readdir(folder, { recursive: true })).sort()).toEqual(['drafts', 'temps', 'undo']);
    });
  });

  it('reading content or storing it again begins its 24 hours anew', async () => {
    await inTempStore(100, async ({ folder, store }) => {
      const hashes = [
        await hashOf(store, 'read'),
        await hashOf(store, 'again'),
        await hashOf(store, 'unused'),
      ];
      const old = hoursFromNow(-30);
      for (const hash of hashes) await utimes(join(folder, `${SESSION}.${hash}`), old, old);
      expect(await store.has(SESSION, hashes[0] ?? '')).toBe(true);
      await hashOf(store, 'again');
      expect(await store.prune(new Date())).toEqual({ removed: 1 });
      const kept = (await readdir(folder)).filter((name) => name.startsWith(SESSION));
      expect(kept.sort()).toEqual(
        hashes
          .slice(0, 2)
          .map((hash) => `${SESSION}.${hash}`)
          .sort(),
      );
    });
  });

  it('content stored again while it is pruned is never lost', async () => {
    await inTempStore(100, async ({ folder, store, openAnother }) => {
      const other = await openAnother();
      const old = hoursFromNow(-30);
      for (let round = 0; round < 60; round += 1) {
        const hash = await hashOf(store, 'content');
        await utimes(join(folder, `${SESSION}.${hash}`), old, old);
        await Promise.all([store.prune(new Date()), other.prune(new Date()), hashOf(store, 'content')]);
        expect(await store.has(SESSION, hash)).toBe(true);
      }
    });
  });
});
