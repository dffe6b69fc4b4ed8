import type { z } from 'zod';

/** The store in which a browser keeps texts by name: `sessionStorage`. Its methods throw if it is full or forbidden. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Reads the value that is stored under a name. Returns undefined if there is none, if it cannot be read, or if it does
 * not fit the schema, as after an update of the page.
 */
export const readStored = <T>(schema: z.ZodType<T>, name: string, storage: TabStorage): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(storage.getItem(name) ?? 'null')).data;
  } catch {
    return undefined;
  }
};

/** Stores a value under a name, or removes it if it is undefined. Does nothing if the browser refuses. */
export const writeStored = (name: string, value: unknown, storage: TabStorage): void => {
  try {
    if (value === undefined) storage.removeItem(name);
    else storage.setItem(name, JSON.stringify(value));
  } catch {
    // The page still has the value. It is lost only with a reload.
  }
};
