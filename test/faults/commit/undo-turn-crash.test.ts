/**
 * Kills a tool at any point of its write, and an undo of its turn at any point: the file is either old or new, and
 * whole.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { logLine } from '../../support/test-log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';
import type { UndoErrand } from '../support/undo-child.ts';
import { fileOf, openUndoGround, TEXTS } from '../support/undo-ground.ts';

let database: TestDatabase;
let places: UndoErrand['places'];
let base: string;
let ground: Awaited<ReturnType<typeof openUndoGround>>;
beforeAll(async () => {
  database = await createTestDatabase();
  base = await mkdtemp(join(tmpdir(), 'orion-undo-'));
  places = { databaseUrl: database.url, root: join(base, 'root'), dataDir: join(base, 'data') };
  ground = await openUndoGround(places);
});
afterAll(async () => {
  await ground.close();
  await database.close();
  await rm(base, { recursive: true, force: true });
});

const begin = async (turnId: string): Promise<string> => {
  const path = join(places.root, fileOf(turnId));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, TEXTS.before);
  await createTurnRepository(database.db).insert(
    { ...turnInput(turnId), conversationId: turnId },
    'hash',
    userMessage,
  );
  return path;
};

const start = (errand: Omit<UndoErrand, 'places'>): ChildProcess => {
  const child = fork(new URL('../support/undo-child.ts', import.meta.url), { execArgv: ['--no-warnings'] });
  child.send({ places, ...errand } satisfies UndoErrand);
  return child;
};

/** Resolves to the number of operations that a process reports at its end, or to `killed` if it died before that. */
const endOf = async (child: ChildProcess): Promise<number | 'killed'> => {
  const stop = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: stop.signal }).then(([seen]) => seen as number),
      once(child, 'exit', { signal: stop.signal }).then(() => 'killed' as const),
    ]);
  } finally {
    stop.abort();
  }
};

const send = (turnId: string, action: UndoErrand['action'], strikeAt: number): Promise<number | 'killed'> =>
  endOf(start({ turnId, action, strikeAt, signal: 'SIGKILL' }));

/**
 * Resolves to whether a child is stopped. The system reports that only to the parent process, and Node does not pass it
 * on.
 */
const isStopped = async ({ pid }: ChildProcess): Promise<boolean> => {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8');
  return status.slice(status.lastIndexOf(')') + 2).startsWith('T');
};

const countOf = async (turnId: string, action: UndoErrand['action']): Promise<number> => {
  const seen = await send(turnId, action, 0);
  if (seen === 'killed') throw new Error('expected an end, received a death');
  return seen;
};

/**
 * Returns the other files beside the target: a process that died between two operations leaves only a name that no tool
 * lists.
 */
const filesBeside = async (path: string): Promise<readonly string[]> =>
  (await readdir(dirname(path))).filter((name) => name !== 'file.md' && !name.startsWith('.orion-tmp-undo-'));

const LATER = 'written by the next turn\n';

describe('a turn that is undone', () => {
  it('has its file restored wherever its tool died', async () => {
    await begin('counted');
    const operations = await countOf('counted', 'edit');
    const written = { no: 0, yes: 0 };
    for (let at = 1; at <= operations; at += 1) {
      const turnId = `edit-${at}`;
      const path = await begin(turnId);
      expect(await send(turnId, 'edit', at)).toBe('killed');
      const text = await readFile(path, 'utf8');
      expect([TEXTS.before, TEXTS.after(turnId)]).toContain(text);
      written[text === TEXTS.before ? 'no' : 'yes'] += 1;
      // This second attempt reports to the model that the outcome is not known, and removes what the dead process has
      // left.
      const again = await ground.edit(turnId);
      const [file] = await ground.undo(turnId);
      expect({ at, text: await readFile(path, 'utf8') }).toEqual({ at, text: TEXTS.before });
      if (text === TEXTS.after(turnId)) {
        expect({ at, again, file }).toMatchObject({ file: { outcome: 'restored' } });
      }
      expect(await filesBeside(path)).toEqual([]);
    }
    logLine(`edit: ${operations} deaths, written in ${written.yes}`);
    expect(Math.min(written.no, written.yes)).toBeGreaterThan(0);
  }, 300_000);

  it('is undone by the next undo wherever the first one died', async () => {
    await begin('counted-undo');
    await ground.edit('counted-undo');
    const operations = await countOf('counted-undo', 'undo');
    for (let at = 1; at <= operations; at += 1) {
      const turnId = `undo-${at}`;
      const path = await begin(turnId);
      await ground.edit(turnId);
      expect(await send(turnId, 'undo', at)).toBe('killed');
      expect([TEXTS.before, TEXTS.after(turnId)]).toContain(await readFile(path, 'utf8'));
      const [file] = await ground.undo(turnId);
      expect({ at, text: await readFile(path, 'utf8') }).toEqual({ at, text: TEXTS.before });
      expect(['restored', 'unchanged']).toContain(file?.outcome);
      // A turn is undone only once: another undo leaves what somebody has written since then.
      await writeFile(path, TEXTS.after(turnId));
      expect(await ground.undo(turnId)).toMatchObject([{ outcome: 'unchanged' }]);
      expect(await readFile(path, 'utf8')).toBe(TEXTS.after(turnId));
      expect(await filesBeside(path)).toEqual([]);
    }
    logLine(`undo: ${operations} deaths`);
    expect(operations).toBeGreaterThan(8);
  }, 300_000);

  it('put to sleep at any operation, removes no text that a tool of another turn has written meanwhile', async () => {
    await begin('counted-sleep');
    await ground.edit('counted-sleep');
    const operations = await countOf('counted-sleep', 'undo');
    const counts = { written: 0, refused: 0 };
    for (let at = 1; at <= operations; at += 1) {
      const turnId = `slept-${at}`;
      const path = await begin(turnId);
      await ground.edit(turnId);
      await begin(`later-${at}`);
      const child = start({ turnId, action: 'undo', strikeAt: at, signal: 'SIGSTOP' });
      await eventually('the child to sleep', () => isStopped(child));
      const { success } = await ground.write(`later-${at}`, fileOf(turnId), LATER);
      const ended = endOf(child);
      child.kill('SIGCONT');
      expect(await ended).not.toBe('killed');
      counts[success ? 'written' : 'refused'] += 1;
      const text = await readFile(path, 'utf8');
      expect({ at, text }).toEqual({ at, text: success ? LATER : TEXTS.before });
      expect(await filesBeside(path)).toEqual([]);
    }
    logLine(`undo: ${JSON.stringify(counts)}`);
    expect(Math.min(counts.written, counts.refused)).toBeGreaterThan(2);
  }, 300_000);
});
