import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';

export const SESSION = '31a0d1b0-6f0e-4a53-8a55-3b9c1f5d9d3e';

export interface TempStore {
  /** The directory of the store. */
  readonly folder: string;
  readonly store: ContentStore;
  /** The same directory, opened by another process as far as the store can tell. */
  openAnother(): Promise<ContentStore>;
}

/** Runs `test` with a fresh store that is removed afterwards. */
export const inTempStore = async (
  maxBytes: number,
  test: (temp: TempStore) => Promise<void>,
): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'orion-content-'));
  const open = () => openContentStore({ dataDir, maxBytes });
  try {
    await test({ folder: join(dataDir, 'content'), store: await open(), openAnother: open });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** A source of copies of these chunks: who reads them lets them go. */
export const chunksOf = async function* (
  ...chunks: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk as Uint8Array);
};

/** `bytes` cut at `cuts` (any order, taken modulo the length). */
export const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
};
