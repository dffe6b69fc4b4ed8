import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../base/log.ts';
import { Backoff } from '../../base/timing/backoff.ts';

/**
 * Called with the project in which an input request was opened, closed or removed. Called without a project when that
 * may have happened in any project: once news is received for the listener, and after each gap.
 */
export type OnInputNews = (projectId?: string) => void;

/** News about the input requests of all turns, whichever process opens or closes them. */
export interface InputNews {
  /** Calls `listener` with all news until the returned function is called. Without a subscriber nothing is read. */
  subscribe(listener: OnInputNews): () => void;
}

export interface InputNewsOptions {
  readonly databaseUrl: string;
  readonly log: Pick<Log, 'warn'>;
  /** Time in milliseconds between two probes, which show that news still arrives. Absent means 30,000. */
  readonly probeMs?: number;
}

const CHANNEL = 'orion_inputs';
/** Begins the payload of a probe; no id of a project begins with it. */
const PROBE_PREFIX = '#';
const PROBE_MS = 30_000;
/** Time in milliseconds that connecting, one statement, and the arrival of a probe may take. */
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Creates news that listens on one connection of its own, for all subscribers (docs/decisions/input-news.md). */
export const createInputNews = (options: InputNewsOptions): InputNews => new PostgresInputNews(options);

class PostgresInputNews implements InputNews {
  readonly #options: InputNewsOptions;
  readonly #subscribers = new Set<OnInputNews>();
  #isRunning = false;
  /** True once a probe has arrived on this connection, so news will arrive too. */
  #isVerified = false;
  #unused = new AbortController();

  constructor(options: InputNewsOptions) {
    this.#options = options;
  }

  subscribe(listener: OnInputNews): () => void {
    // Two calls with the same function are two subscribers.
    const subscriber: OnInputNews = (projectId) => listener(projectId);
    this.#subscribers.add(subscriber);
    if (this.#isVerified) subscriber();
    else void this.#run();
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#unused.abort();
    };
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    while (this.#subscribers.size > 0) {
      this.#unused = new AbortController();
      await this.#listen(this.#unused.signal).catch((error: unknown) => {
        if (this.#subscribers.size > 0) this.#options.log.warn({ err: error }, 'input news is not received');
      });
      if (this.#isVerified) backoff.reset();
      this.#isVerified = false;
      const options = { signal: this.#unused.signal, ref: false };
      await delay(backoff.nextPause(), undefined, options).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  /**
   * Listens on a new connection. Resolves when there is no subscriber any longer. Rejects when the connection fails,
   * when it is lost, or when a probe does not arrive.
   */
  async #listen(unused: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.databaseUrl,
      application_name: 'orion',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    const connectionLoss = once(client, 'end').then(() =>
      Promise.reject(new Error('the connection was closed')),
    );
    // Without a handler, a connection that is lost before the race would end the process.
    connectionLoss.catch(() => undefined);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      await Promise.race([connectionLoss, this.#receive(client, unused)]);
    } finally {
      // This is not awaited, because a half-open connection may never be closed.
      void client.end().catch(() => undefined);
    }
  }

  /**
   * Receives news until there is no subscriber. Sends probes meanwhile, because a connection or a pooler may stop
   * delivering without an error.
   */
  async #receive(client: pg.Client, unused: AbortSignal): Promise<void> {
    let openProbe: { readonly probe: string; readonly received: () => void } | undefined;
    client.on('notification', ({ payload = '' }) => {
      if (!payload.startsWith(PROBE_PREFIX)) this.#publish(payload === '' ? undefined : payload);
      else if (payload === openProbe?.probe) openProbe.received();
    });
    while (!unused.aborted) {
      const { promise, resolve } = Promise.withResolvers<true>();
      const probe = `${PROBE_PREFIX}${randomUUID()}`;
      openProbe = { probe, received: () => resolve(true) };
      await client.query('select pg_notify($1, $2)', [CHANNEL, probe]);
      const isReceived = await Promise.race([promise, delay(TIMEOUT_MS, false, { ref: false })]);
      if (!isReceived) throw new Error('a probe was sent and did not arrive');
      if (!this.#isVerified) this.#onVerified();
      const pause = this.#options.probeMs ?? PROBE_MS;
      await delay(pause, undefined, { signal: unused, ref: false }).catch(() => undefined);
    }
  }

  #onVerified(): void {
    this.#isVerified = true;
    this.#publish();
  }

  #publish(projectId?: string): void {
    for (const listener of this.#subscribers) listener(projectId);
  }
}
