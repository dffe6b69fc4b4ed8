import { statfs } from 'node:fs/promises';
import { systemClock } from '../../base/timing/clock.ts';
import { withTimeout } from '../../base/timing/with-timeout.ts';
import { MAX_CONTENT_BYTES } from '../../contracts/http/message-api.ts';
import { MIB } from '../../contracts/values/units.ts';

/** Largest share of a disk that is kept free by default, so that small disks can be used, too. */
const MAX_RESERVE_SHARE = 0.05;
/** Number of bytes that are kept free by default on a large disk. */
const DEFAULT_RESERVE = 256 * MIB;
/**
 * Milliseconds to wait for the free space of a disk. Then the disk refuses nothing, because a network volume that hangs
 * must not stop what does not need it.
 */
const PATIENCE_MS = 1_000;
/** Milliseconds for which a measurement is good enough to let a small request in. */
const FRESH_MS = 1_000;

/** Size of a file system and its free part, in bytes. */
export interface VolumeSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface FreeSpaceOptions {
  /** Folders in which people's data is stored. */
  readonly folders: readonly string[];
  /**
   * The bytes that are to stay free on the disks of the folders. Absent means 256 MiB, or 5 % of a small disk. 0 means
   * that nothing is checked.
   */
  readonly reserve?: number | undefined;
  readonly readVolume?: (folder: string) => Promise<VolumeSpace>;
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Space of each folder's disk. Undefined if it could not be read. */
type Volumes = readonly (VolumeSpace | undefined)[];

/**
 * Says whether the disks have room for a request. It knows their free space, and the bytes that other requests under
 * way to this process may still write.
 */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;
  readonly #now: () => number;
  #heldBytes = 0;
  /** Measurements under way, by folder. */
  readonly #pending = new Map<string, Promise<VolumeSpace | undefined>>();
  #lastVolumes: Volumes = [];
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
    this.#now = options.now ?? systemClock.now;
  }

  /**
   * Holds `bytes` of space until the returned function is called. Returns undefined when too little would stay free.
   */
  async hold(bytes: number): Promise<(() => void) | undefined> {
    this.#heldBytes += bytes;
    const release = (): void => void (this.#heldBytes -= bytes);
    if (this.#options.reserve === 0) return release;
    // A request that stores at most a message, such as the start of a turn, does not wait for the disk if it was
    // measured just now. The last measurement may let a request in, but only a new one refuses it.
    if (bytes <= MAX_CONTENT_BYTES && this.#isFresh() && this.#haveAllSpace(this.#lastVolumes)) {
      return release;
    }
    if (this.#haveAllSpace(await this.#readVolumes())) return release;
    release();
    return undefined;
  }

  #isFresh(): boolean {
    return this.#now() - this.#checkedAt < FRESH_MS;
  }

  #haveAllSpace(volumes: Volumes): boolean {
    return volumes.every((volume) => volume === undefined || this.#hasSpace(volume));
  }

  #hasSpace({ freeBytes, totalBytes }: VolumeSpace): boolean {
    const reserve = this.#options.reserve ?? Math.min(DEFAULT_RESERVE, totalBytes * MAX_RESERVE_SHARE);
    return freeBytes - this.#heldBytes >= reserve;
  }

  /** Returns the space of the disks that answer in time. */
  async #readVolumes(): Promise<Volumes> {
    const at = this.#now();
    const volumes = await Promise.all(
      this.#options.folders.map((folder) => withTimeout(PATIENCE_MS, this.#measure(folder), () => undefined)),
    );
    this.#lastVolumes = volumes;
    this.#checkedAt = at;
    return volumes;
  }

  /** Measures each disk once at a time, since each measurement may hold a thread of Node's small pool. */
  #measure(folder: string): Promise<VolumeSpace | undefined> {
    const pending = this.#pending.get(folder);
    if (pending) return pending;
    const { readVolume = readVolumeOnDisk } = this.#options;
    const measured = readVolume(folder)
      .catch(() => undefined)
      .finally(() => this.#pending.delete(folder));
    this.#pending.set(folder, measured);
    return measured;
  }
}

const readVolumeOnDisk = async (folder: string): Promise<VolumeSpace> => {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { freeBytes: bsize * bavail, totalBytes: bsize * blocks };
};
