import type { z } from 'zod';

/**
 * The store in which a browser keeps texts by name: `sessionStorage`, whose methods throw where it has no room or is
 * forbidden.
 */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Reads the value that is stored under a name, perhaps by an earlier version of the page. Returns undefined if there is
 * no valid one.
 */
export const readStored = <T>(schema: z.ZodType<T>, name: string, storage: TabStorage): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(storage.getItem(name) ?? 'null')).data;
  } catch {
    return undefined;
  }
};

/** Stores a value under a name, as far as the browser has room; undefined removes it. */
export const writeStored = (name: string, value: unknown, storage: TabStorage): void => {
  try {
    if (value === undefined) storage.removeItem(name);
    else storage.setItem(name, JSON.stringify(value));
  } catch {
    // It stays in sight, until the page is left.
  }
};
