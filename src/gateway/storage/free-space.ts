import { statfs } from 'node:fs/promises';

/** A reserve that was not chosen is no larger part of a disk than this: small ones are meant to be used. */
const LARGEST_PART = 0.05;
const DEFAULT_RESERVE = 256 * 1024 * 1024;
/** A network volume that hangs must not stop what does not need it. */
const PATIENCE_MS = 1_000;

export interface Volume {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface FreeSpaceOptions {
  /** Folders that people's data goes to. */
  readonly folders: readonly string[];
  /** Bytes that stay free on their disks; absent: 256 MiB, or 5 % of a small disk; 0: no limit. */
  readonly reserve?: number | undefined;
  readonly volumeOf?: (folder: string) => Promise<Volume>;
}

/** Free place on the disks, less what requests that are under way may still fill. */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;
  #held = 0;
  #asked: Promise<readonly (Volume | undefined)[]> | undefined;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
  }

  /** Holds place until the function returned is called; undefined when too little would stay free. */
  async hold(bytes: number): Promise<(() => void) | undefined> {
    this.#held += bytes;
    const release = (): void => void (this.#held -= bytes);
    if (this.#options.reserve === 0) return release;
    const volumes = await this.#volumes();
    if (volumes.every((volume) => volume === undefined || this.#suffices(volume))) return release;
    release();
    return undefined;
  }

  #suffices({ freeBytes, totalBytes }: Volume): boolean {
    const reserve = this.#options.reserve ?? Math.min(DEFAULT_RESERVE, totalBytes * LARGEST_PART);
    return freeBytes - this.#held >= reserve;
  }

  /** One question at a time: each may keep a thread of Node's small pool. A folder that does not answer is passed. */
  #volumes(): Promise<readonly (Volume | undefined)[]> {
    const { folders, volumeOf = volumeOfFolder } = this.#options;
    this.#asked ??= Promise.all(folders.map((folder) => volumeOf(folder).catch(() => undefined))).finally(
      () => (this.#asked = undefined),
    );
    return within(PATIENCE_MS, this.#asked, []);
  }
}

const volumeOfFolder = async (folder: string): Promise<Volume> => {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { freeBytes: bsize * bavail, totalBytes: bsize * blocks };
};

const within = async <T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> => {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(otherwise), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};
