import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';

export const SESSION = '31a0d1b0-6f0e-4a53-8a55-3b9c1f5d9d3e';

export interface TempStore {
  /** The folder of the store. */
  readonly folder: string;
  readonly store: ContentStore;
  /** Opens the same folder again, as another process would. */
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

/** Yields copies of these chunks: a reader takes ownership of what it is given. */
export const chunksOf = async function* (
  ...chunks: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk as Uint8Array);
};

/** Returns `bytes` cut at `cuts`, which are in any order and taken modulo the length. */
export const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
};
