import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { StoredBytes } from '../../../src/gateway/storage/storage-quota.ts';

const DAY = '2026-01-02';

/** Describes what quotas rely on; `open` is called once in each test, and may share its counts with other tests. */
export const describeStoredBytes = (name: string, open: () => StoredBytes): void => {
  describe(`bytes that keys have stored: ${name}`, () => {
    it('are none at first, and add up to the limit, and no further', async () => {
      const [bytes, key] = [open(), randomUUID()];
      expect(await bytes.findUsed(key, DAY)).toBe(0);
      expect(await bytes.add(key, DAY, 60, 100)).toBe(true);
      expect(await bytes.add(key, DAY, 41, 100)).toBe(false);
      expect(await bytes.findUsed(key, DAY)).toBe(60);
      expect(await bytes.add(key, DAY, 40, 100)).toBe(true);
      expect(await bytes.findUsed(key, DAY)).toBe(100);
    });

    it('refuse at once an addition that by itself passes the limit', async () => {
      const [bytes, key] = [open(), randomUUID()];
      expect(await bytes.add(key, DAY, 101, 100)).toBe(false);
      expect(await bytes.findUsed(key, DAY)).toBe(0);
    });

    it('are counted separately for each key and each day', async () => {
      const [bytes, ann, bea] = [open(), randomUUID(), randomUUID()];
      await bytes.add(ann, DAY, 100, 100);
      expect(await bytes.add(bea, DAY, 100, 100)).toBe(true);
      expect(await bytes.add(ann, '2026-01-03', 1, 100)).toBe(true);
      expect([await bytes.findUsed(ann, DAY), await bytes.findUsed(ann, '2026-01-03')]).toEqual([100, 1]);
    });

    it('stay within the limit when many add at once', async () => {
      const [bytes, key] = [open(), randomUUID()];
      const added = await Promise.all(Array.from({ length: 15 }, () => bytes.add(key, DAY, 10, 105)));
      expect(added.filter(Boolean)).toHaveLength(10);
      expect(await bytes.findUsed(key, DAY)).toBe(100);
    });
  });
};
