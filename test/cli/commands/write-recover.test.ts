/** Tests which kept texts `orion write recover` reports, and which of them `orion write cancel` deletes. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { runWriteCancel } from '../../../src/cli/commands/write-commands.ts';
import { runWriteRecover } from '../../../src/cli/commands/write-recover.ts';
import { GatewayRefusedError } from '../../../src/cli/http/gateway-failures.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { createKeptSessions } from '../../../src/cli/write-session/kept-sessions.ts';
import { partOf } from '../../support/part-of.ts';

const HERE = 'http://127.0.0.1:5000';
const ELSEWHERE = 'http://127.0.0.1:5001';
const SESSION = '3f8b0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';
const OTHER = '77aa0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'orion-recover-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

/** A gateway at `HERE` that does not know any session, and the texts that are kept for sessions of these gateways. */
const worldOf = async (...sessions: readonly (readonly [sessionId: string, url: string])[]) => {
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const keptSessions = createKeptSessions(stateDir);
  for (const [sessionId, url] of sessions) {
    const facts = { turnId: null, projectId: 'p', target: 'long.md', operation: 'create' } as const;
    await keptSessions.keep({ sessionId, url, complete: true, ...facts }, 'text\n');
  }
  const refuse = () =>
    Promise.reject(
      new GatewayRefusedError(404, { error: 'There is no such write session.', code: 'session_not_found' }),
    );
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report },
    screen: { report },
    config: { url: HERE, projectId: 'p' },
    keptSessions,
    writeSessions: { readStatus: refuse, cancel: refuse },
  });
  const files = () => readdirSync(join(stateDir, 'write-sessions')).toSorted();
  return { context, lines, files, keptSessions };
};

it('a session that ended without its file says how to delete its text, and cancel deletes it', async () => {
  const { context, lines, files, keptSessions } = await worldOf([SESSION, HERE]);
  expect(await runWriteRecover(context, { sessionId: undefined })).toBe(EXIT.session);
  expect(lines.splice(0)).toEqual([
    'The session of long.md is over and nothing was written. Its text is in ' +
      `${keptSessions.textPath(SESSION)}; \`orion write begin\` and ` +
      `\`orion write finalize <id> --file\` write it, \`orion write cancel ${SESSION}\` deletes it.`,
  ]);
  expect(files()).toHaveLength(2);
  expect(await runWriteCancel(context, { sessionId: SESSION })).toBe(EXIT.session);
  expect(lines).toEqual(['There is no such write session.', 'The text that was kept for it is deleted.']);
  expect(files()).toEqual([]);
});

it('texts of other gateways are named, and can be recovered here one by one', async () => {
  const { context, lines, files } = await worldOf([OTHER, ELSEWHERE]);
  expect(await runWriteRecover(context, { sessionId: undefined })).toBe(EXIT.done);
  expect(lines.splice(0)).toEqual([
    `Nothing to recover at ${HERE}.`,
    `Kept for ${ELSEWHERE}: ${OTHER}. \`orion --url ${ELSEWHERE} write recover\` continues there; ` +
      'if that gateway has moved here, `orion write recover <session>` continues here.',
  ]);
  expect(await runWriteRecover(context, { sessionId: OTHER })).toBe(EXIT.session);
  expect(lines.splice(0)).toEqual([expect.stringMatching(/^The session of long\.md was begun at .*:5001/)]);
  // Another gateway may still have this session, so its text stays.
  await runWriteCancel(context, { sessionId: OTHER });
  expect(files()).toHaveLength(2);
});

it('nothing that is kept is nothing to recover', async () => {
  const { context, lines } = await worldOf();
  expect(await runWriteRecover(context, { sessionId: undefined })).toBe(EXIT.done);
  expect(lines).toEqual(['Nothing to recover.']);
});
