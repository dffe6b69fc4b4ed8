/** Tests begins of write sessions whose answer is lost on its way, and recoveries that are repeated. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { runWriteBegin } from '../../../src/cli/commands/write-commands.ts';
import { runWriteRecover } from '../../../src/cli/commands/write-recover.ts';
import { createGatewayClient } from '../../../src/cli/http/gateway-client.ts';
import { createWriteSessionClient } from '../../../src/cli/http/write-session-client.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { createKeptSessions } from '../../../src/cli/write-session/kept-sessions.ts';
import { WriteSessionWorld } from '../../gateway/support/write-session-world.ts';
import { partOf } from '../../support/part-of.ts';

const BEGIN = 'POST /api/write-session/begin';
const SESSION = '3f8b0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';

let world: WriteSessionWorld;
let proxy: Server;
let stateDir: string;
/** The requests whose next answer is lost, each as its method and the beginning of its path. */
let lost: string[];
beforeEach(async () => {
  world = await WriteSessionWorld.open();
  stateDir = mkdtempSync(join(tmpdir(), 'orion-begin-'));
  lost = [];
  proxy = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await world.close();
  rmSync(stateDir, { recursive: true, force: true });
});

/** Forwards a request to the gateway, and cuts the connection instead of answering if the answer is to be lost. */
const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = 'GET', url = '/', headers } = request;
  const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...sent } = headers;
  const { status, text } = await world.gateway.request(method, url, {
    headers: sent as Record<string, string>,
    body: await buffer(request),
  });
  const at = lost.findIndex((start) => `${method} ${url}`.startsWith(start));
  if (at >= 0) {
    lost.splice(at, 1);
    return void response.destroy();
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
};

const openContext = (sleep: () => Promise<void> = () => Promise.resolve()) => {
  const printed: string[] = [];
  const reported: string[] = [];
  const report = (line: string): void => void reported.push(line);
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const keptSessions = createKeptSessions(stateDir);
  const context = partOf<CliContext>({
    retry: { attempts: 2, delayMs: 0, sleep, report },
    screen: { report, reportDimmed: report, write: (text: string) => void printed.push(text) },
    config: { url, projectId: 'default' },
    printsJson: false,
    keptSessions,
    writeSessions: createWriteSessionClient(createGatewayClient({ url, apiKey: undefined })),
  });
  return { context, keptSessions, printed, reported };
};

describe('orion write begin', () => {
  const args = { name: 'write begin', target: 'long.md', operation: 'create', intent: undefined } as const;

  it('begins one session and prints its id, although its first answer is lost', async () => {
    lost = [BEGIN];
    const { context, printed } = openContext();
    expect(await runWriteBegin(context, args)).toBe(EXIT.done);
    expect(world.sessions.open.map(({ sessionId }) => `${sessionId}\n`)).toEqual(printed);
  });

  it('begins another session if that of its first try has ended before the next', async () => {
    lost = [BEGIN];
    const { context, printed } = openContext(() => {
      for (const { sessionId } of world.sessions.open) world.sessions.end(sessionId, 'cancelled');
      return Promise.resolve();
    });
    expect(await runWriteBegin(context, args)).toBe(EXIT.done);
    expect(world.sessions.open.map(({ sessionId }) => `${sessionId}\n`)).toEqual(printed);
  });

  it('does not take the session of an earlier begin for its own', async () => {
    const { context } = openContext();
    await runWriteBegin(context, args);
    expect(await runWriteBegin(context, args)).toBe(EXIT.session);
    expect(world.sessions.open).toHaveLength(1);
  });
});

describe('orion write recover', () => {
  /** Keeps the complete text of a session that has expired, and returns how to recover it. */
  const keepExpired = async () => {
    const { context, keptSessions, reported } = openContext();
    const facts = { projectId: 'default', target: 'long.md', operation: 'append' } as const;
    const session = { sessionId: SESSION, turnId: null, url: context.config.url, complete: true, ...facts };
    await keptSessions.keep(session, 'text\n');
    world.sessions.add({ sessionId: SESSION });
    world.sessions.end(SESSION, 'expired');
    const recover = () => runWriteRecover(context, { sessionId: undefined });
    const stages = () => [...world.sessions.byId.values()].map(({ stage }) => stage);
    return { recover, stages, keptSessions, reported };
  };

  it('begins one session for an expired one, although its first answer is lost', async () => {
    const { recover, stages, keptSessions } = await keepExpired();
    lost = [BEGIN];
    expect(await recover()).toBe(EXIT.done);
    expect(stages()).toEqual(['expired', 'committed']);
    expect(world.committed()).toBe('text\n');
    expect(await keptSessions.list()).toEqual([]);
  });

  it('continues in the session that an earlier recovery began and could not finish', async () => {
    const { recover, stages } = await keepExpired();
    lost = [BEGIN, BEGIN];
    expect(await recover()).toBe(EXIT.unreachable);
    expect(stages()).toEqual(['expired', 'awaiting_content']);
    expect(await recover()).toBe(EXIT.done);
    expect(stages()).toEqual(['expired', 'committed']);
  });

  it('does not append a text again that an earlier recovery has written', async () => {
    const { recover, stages, keptSessions, reported } = await keepExpired();
    lost = ['PUT', 'PUT'];
    expect(await recover()).toBe(EXIT.unreachable);
    expect(await recover()).toBe(EXIT.done);
    expect(stages()).toEqual(['expired', 'committed']);
    expect(reported.at(-1)).toBe('long.md was written.');
    expect(await keptSessions.list()).toEqual([]);
  });

  it('begins another session if that of an earlier recovery has ended without the file', async () => {
    const { recover, stages } = await keepExpired();
    lost = [BEGIN, BEGIN];
    await recover();
    for (const { sessionId } of world.sessions.open) world.sessions.end(sessionId, 'expired');
    expect(await recover()).toBe(EXIT.done);
    expect(stages()).toEqual(['expired', 'expired', 'committed']);
  });
});
