import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/base/timing/clock.ts';
import type { FinalizeRequest } from '../../../src/contracts/write-session/session-messages.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { openContentStore } from '../../../src/files/content-store/file-content-store.ts';
import type { ConnectionLimits } from '../../../src/gateway/connections/connection-limits.ts';
import type { GatewayDeps } from '../../../src/gateway/deps/gateway-deps.ts';
import { FakeWriteSessions } from './fake-write-sessions.ts';
import { GatewayWorld, type HttpResponse } from './gateway-world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The app over write sessions in memory and a real content store. */
export class WriteSessionWorld {
  readonly sessions: FakeWriteSessions;
  readonly contents: ContentStore;
  readonly gateway: GatewayWorld;
  readonly #dataDir: string;
  #committed: string | undefined;

  private constructor(parts: {
    sessions: FakeWriteSessions;
    contents: ContentStore;
    gateway: GatewayWorld;
    dataDir: string;
  }) {
    this.sessions = parts.sessions;
    this.contents = parts.contents;
    this.gateway = parts.gateway;
    this.#dataDir = parts.dataDir;
    this.sessions.beforeAnswer = (sessionId, request) => this.#read(sessionId, request);
  }

  static async open(
    maxBytes = 10_485_760,
    {
      contents: wrap = (store: ContentStore) => store,
      ...deps
    }: { contents?: (store: ContentStore) => ContentStore } & Partial<GatewayDeps> = {},
    limits: Partial<ConnectionLimits> = {},
    clock?: Clock,
  ): Promise<WriteSessionWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'orion-write-session-'));
    const contents = await openContentStore({ dataDir, maxBytes });
    const sessions = new FakeWriteSessions();
    const writeSessions = sessions.parts(wrap(contents), maxBytes);
    // The limits are wide, because a refused large body would make the next one wait, and no test here advances the
    // clock.
    const gateway = await GatewayWorld.open(
      {},
      { writeSessions, clock: systemClock, ...deps },
      limits,
      clock,
    );
    return new WriteSessionWorld({ sessions, contents, gateway, dataDir });
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  begin(body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.gateway.post('/api/write-session/begin', body, headers);
  }

  /** Sends a finalize; `body` is an object, or JSON text that is sent as it is. */
  finalize(body: object | string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.gateway.request('POST', '/api/write-session/finalize', {
      headers: { ...JSON_TYPE, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  put(sessionId: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.gateway.request('PUT', `/api/write-session/${sessionId}/content`, {
      headers: { 'content-type': 'text/plain', ...headers },
      body,
    });
  }

  draft(
    sessionId: string,
    offset: number | string | undefined,
    body: string | Buffer,
  ): Promise<HttpResponse> {
    return this.gateway.request('POST', `/api/write-session/${sessionId}/draft`, {
      headers: {
        'content-type': 'text/plain',
        ...(offset !== undefined && { 'upload-offset': String(offset) }),
      },
      body,
    });
  }

  /** Resolves to the names of all files in the content store. */
  async storedFiles(): Promise<string[]> {
    const entries = await readdir(join(this.#dataDir, 'content'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** Returns the text that a worker would have found when the newest finalize asked it to commit. */
  committed(): string {
    if (this.#committed === undefined) throw new Error('nothing was stored');
    return this.#committed;
  }

  async #read(sessionId: string, { content }: FinalizeRequest): Promise<void> {
    const handle = content && (await this.contents.open(sessionId, content.sha256));
    this.#committed = await handle?.readFile('utf8');
    await handle?.close();
  }
}
