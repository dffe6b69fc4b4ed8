/** Tests what Ctrl-C leaves behind while `orion write finalize` reads its content or sends it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { runWriteFinalize } from '../../../src/cli/commands/write-finalize.ts';
import { createInterrupts, systemTimers } from '../../../src/cli/process/cli-process.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { createKeptSessions } from '../../../src/cli/write-session/kept-sessions.ts';
import { partOf } from '../../support/part-of.ts';

const SESSION = '3f8b0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';
const STATUS = { session_id: SESSION, operation: 'create', target_file: 'long.txt', draft_bytes: 0 } as const;

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'orion-interrupted-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

/** Starts `orion write finalize` with an open stdin. The gateway never answers what it is sent. */
const finalize = () => {
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const stdin = new PassThrough();
  const interrupts = createInterrupts(() => lines.push('nobody has subscribed'));
  const keptSessions = createKeptSessions(stateDir);
  let onSent: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (onSent = resolve));
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report },
    screen: { report },
    config: { url: 'http://gateway', projectId: 'p', idleMs: 60_000 },
    cliProcess: { stdin, interrupts, timers: systemTimers },
    keptSessions,
    writeSessions: {
      readStatus: () => Promise.resolve(STATUS),
      putContent: () => {
        onSent();
        return new Promise(() => undefined);
      },
    },
  });
  const ended = runWriteFinalize(context, {
    name: 'write finalize',
    sessionId: SESSION,
    source: { kind: 'stdin' },
  });
  return { lines, stdin, interrupts, keptSessions, sent, ended };
};

it('says where the beginning of the content is kept, and how to write it or to end the session', async () => {
  const { lines, stdin, interrupts, keptSessions, ended } = finalize();
  stdin.write('one\n');
  while ((await keptSessions.list()).length === 0) await systemTimers.sleep(5);
  interrupts.raise();
  expect(await ended).toBe(EXIT.interrupted);
  const path = keptSessions.textPath(SESSION);
  expect(lines).toEqual([
    `long.txt was not written: the content so far is kept in ${path}. ` +
      `\`orion write finalize ${SESSION} --file ${path}\` writes it as it is, ` +
      `\`orion write cancel ${SESSION}\` discards it and frees the file.`,
  ]);
});

it('says that a whole content is kept, and can be sent again', async () => {
  const { lines, stdin, interrupts, keptSessions, sent, ended } = finalize();
  stdin.end('one\n');
  await sent;
  interrupts.raise();
  expect(await ended).toBe(EXIT.interrupted);
  expect(lines).toEqual([
    `The text of long.txt is kept in ${keptSessions.textPath(SESSION)}; \`orion write recover\` continues.`,
  ]);
  expect(await keptSessions.list()).toMatchObject([{ sessionId: SESSION, complete: true }]);
});
