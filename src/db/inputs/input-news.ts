import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../base/log.ts';

/**
 * Called with the project in which a request was opened or closed; without a project when that may have happened
 * anywhere: when listening begins, and after each gap.
 */
export type TakeInputNews = (projectId?: string) => void;

/** News of the requests of all turns, whichever process opens or closes them. */
export interface InputNews {
  /** Follows the news; returns the function that ends that. While nobody follows, nothing is asked of Postgres. */
  follow(take: TakeInputNews): () => void;
}

export interface InputNewsOptions {
  readonly databaseUrl: string;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds between two proofs that news arrives. */
  readonly proofMs?: number;
}

const CHANNEL = 'orion_inputs';
/** Begins the payload of a proof; no id of a project begins with it. */
const PROOF_PREFIX = '#';
const PROOF_MS = 30_000;
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Listens on one connection of its own for all that follow (docs/decisions/input-news.md). */
export const createInputNews = (options: InputNewsOptions): InputNews => new Listener(options);

class Listener implements InputNews {
  readonly #options: InputNewsOptions;
  readonly #followers = new Set<TakeInputNews>();
  #isRunning = false;
  /** True when news has been heard on the present connection. */
  #isProven = false;
  #left = new AbortController();

  constructor(options: InputNewsOptions) {
    this.#options = options;
  }

  follow(take: TakeInputNews): () => void {
    // Two calls with the same function are two followers.
    const follower: TakeInputNews = (projectId) => take(projectId);
    this.#followers.add(follower);
    if (this.#isProven) follower();
    else void this.#run();
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#left.abort();
    };
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let pause = FIRST_PAUSE_MS;
    while (this.#followers.size > 0) {
      this.#left = new AbortController();
      await this.#listen(this.#left.signal).catch((error: unknown) => {
        if (this.#followers.size > 0) this.#options.log.warn({ err: error }, 'news of inputs is not heard');
      });
      pause = this.#isProven ? FIRST_PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
      this.#isProven = false;
      await delay(pause, undefined, { signal: this.#left.signal, ref: false }).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  /** Resolves when nobody follows any longer. Rejects when the connection is lost, or news does not arrive. */
  async #listen(left: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.databaseUrl,
      application_name: 'orion',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    const lost = once(client, 'end').then(() => Promise.reject(new Error('the connection was closed')));
    lost.catch(() => undefined);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await Promise.race([lost, this.#hear(client, left)]);
    } finally {
      // A half open connection may never be closed.
      void client.end().catch(() => undefined);
    }
  }

  /**
   * Takes news in, and at times sends a proof itself: a connection or a pooler may silently have stopped delivering.
   */
  async #hear(client: pg.Client, left: AbortSignal): Promise<void> {
    let awaited: { readonly proof: string; readonly heard: () => void } | undefined;
    client.on('notification', ({ payload = '' }) => {
      if (!payload.startsWith(PROOF_PREFIX)) this.#tell(payload === '' ? undefined : payload);
      else if (payload === awaited?.proof) awaited.heard();
    });
    while (!left.aborted) {
      const { promise, resolve } = Promise.withResolvers<true>();
      const proof = `${PROOF_PREFIX}${randomUUID()}`;
      awaited = { proof, heard: () => resolve(true) };
      await client.query('select pg_notify($1, $2)', [CHANNEL, proof]);
      const isHeard = await Promise.race([promise, delay(TIMEOUT_MS, false, { ref: false })]);
      if (!isHeard) throw new Error('what was said itself was not heard');
      if (!this.#isProven) this.#prove();
      const pause = this.#options.proofMs ?? PROOF_MS;
      await delay(pause, undefined, { signal: left, ref: false }).catch(() => undefined);
    }
  }

  #prove(): void {
    this.#isProven = true;
    this.#tell();
  }

  #tell(projectId?: string): void {
    for (const take of this.#followers) take(projectId);
  }
}
