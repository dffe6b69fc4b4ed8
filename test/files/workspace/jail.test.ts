import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import type { EntryNaming } from '../../../src/files/workspace/directory.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { anyFence, inTempWorkspace, openHandles, readText } from '../../tools/support/temp-workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { logLine } from '../../support/test-log.ts';

/** Every file at which an escape would arrive holds this text. */
const OUTSIDE = 'OUTSIDE';
const content = Buffer.from('written');

/** Links of every shape: [where, target]. `BASE` stands for the folder above the root. */
const LINKS: readonly (readonly [string, string])[] = [
  ['out', '..'],
  ['absolute', 'BASE'],
  ['root-again', 'BASE/root'],
  ['lookalike', 'BASE/root-twin'],
  ['up', 'a/../..'],
  ['down-up', 'a/b/../../../root/../secret.txt'],
  ['chain', 'in/../out'],
  ['in', 'a'],
  ['a/b/back', '../..'],
  ['a/b/far', '../../../..'],
  ['a/file-out', '../../secret.txt'],
  ['a/file-in', './b/../inside.txt'],
  ['loop', 'loop'],
  ['loop-a', 'loop-b'],
  ['loop-b', 'loop-a'],
  ['dangling', 'a/not-there.txt'],
  ['dangling-out', '../not-there.txt'],
  ['proc', '/proc/self/root'],
  ['etc', '/etc'],
];

const buildTree = async (base: string): Promise<void> => {
  const root = join(base, 'root');
  await mkdir(join(root, 'a/b'), { recursive: true });
  await mkdir(join(base, 'root-twin'));
  for (const folder of ['', 'root-twin']) await writeFile(join(base, folder, 'secret.txt'), OUTSIDE);
  for (const folder of ['', 'a', 'a/b']) {
    await writeFile(join(root, folder, 'inside.txt'), `inside ${folder}`);
  }
  for (const [where, target] of LINKS) await symlink(target.replace('BASE', base), join(root, where));
};

/** Resolves to the names and the text outside the root, which show whether anything was written there. */
const outsideOf = async (base: string): Promise<string[]> =>
  [
    ...(await readdir(base)),
    ...(await readdir(join(base, 'root-twin'))),
    await readFile(join(base, 'secret.txt'), 'utf8'),
  ].sort();

describe.each<EntryNaming>(['handle', 'path'])('workspace jail, entries named by %s', (naming) => {
  let base: string;
  let workspace: Workspace;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'orion-jail-'));
    await buildTree(base);
    workspace = await openWorkspace({ root: join(base, 'root'), hasProjectFolders: false, naming });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(base, { recursive: true, force: true });
  });

  it.each([
    ['a/inside.txt', 'inside a'],
    ['in/inside.txt', 'inside a'],
    ['a/file-in', 'inside a'],
    ['root-again/a/b/inside.txt', 'inside a/b'],
    ['a/b/back/inside.txt', 'inside '],
    ['in/b/back/in/b/inside.txt', 'inside a/b'],
    ['a/nowhere/../b/inside.txt', 'inside a/b'],
  ])('%s leads to a file inside and is read', async (path, text) => {
    expect(await readText(workspace, path)).toBe(text);
  });

  it.each([
    ['out/secret.txt', 'outside the workspace'],
    ['absolute/secret.txt', 'outside the workspace'],
    ['lookalike/secret.txt', 'outside the workspace'],
    ['up/secret.txt', 'outside the workspace'],
    ['down-up', 'outside the workspace'],
    ['chain/secret.txt', 'outside the workspace'],
    ['a/b/far/secret.txt', 'outside the workspace'],
    ['a/file-out', 'outside the workspace'],
    ['out/root/a/inside.txt', 'outside the workspace'],
    ['proc/etc/passwd', 'outside the workspace'],
    ['etc/passwd', 'outside the workspace'],
    ['loop', 'too many symbolic links'],
    ['loop-a/x', 'too many symbolic links'],
    ['dangling', 'not found'],
    ['a/inside.txt/x', 'not a directory'],
    ['a', 'is a directory'],
    ['in', 'is a directory'],
    ['.', 'is a directory'],
    ['n'.repeat(300), 'name too long'],
  ])('%s is not read: %s', async (path, reason) => {
    await expect(readText(workspace, path)).rejects.toThrow(`${reason}: ${path.slice(0, 200)}`);
  });

  it('generated hostile paths: no read and no write escapes, no handle stays open', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'b',
      '..\\..',
      'new',
      'secret.txt',
      ...LINKS.map(([name]) => name),
    );
    const path = fc
      .tuple(
        fc.constantFrom('', '', '', '/', '\\', 'C:'),
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom('/', '\\'),
      )
      .map(([prefix, parts, separator]) => prefix + [...parts, 'secret.txt'].join(separator));
    const before = await outsideOf(base);
    const handles = await openHandles();
    let attempts = 0;
    await fc.assert(
      fc.asyncProperty(path, async (hostile) => {
        attempts += 2;
        await workspace.writeFile('p', hostile, content, { fence: anyFence() }).catch(() => undefined);
        expect(await readText(workspace, hostile).catch(() => 'refused')).not.toBe(OUTSIDE);
        expect(await outsideOf(base)).toEqual(before);
      }),
      { numRuns: 500 },
    );
    expect(await openHandles()).toBe(handles);
    expect(attempts).toBeGreaterThanOrEqual(1_000);
  });
});

describe('workspace jail: files that are not ordinary', () => {
  it('FIFOs, sockets and devices are refused at once', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      execFileSync('mkfifo', [join(root, 'fifo')]);
      const server = createServer().listen(join(root, 'socket'));
      await new Promise((resolve) => server.once('listening', resolve));
      try {
        for (const path of ['fifo', 'socket']) {
          await expect(readText(workspace, path)).rejects.toThrow(`not a regular file: ${path}`);
          await expect(workspace.writeFile('p', path, content, { fence: anyFence() })).rejects.toThrow(
            `not a regular file: ${path}`,
          );
        }
        await symlink('/dev/zero', join(root, 'zero'));
        await expect(readText(workspace, 'zero')).rejects.toThrow('outside the workspace: zero');
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });

  it('a write follows links that stay inside, also dangling ones, and keeps the link', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'a'));
      await symlink('a/new.txt', join(root, 'dangling'));
      await symlink('../new.txt', join(root, 'dangling-out'));
      expect(await workspace.writeFile('p', 'dangling', content, { fence: anyFence() })).toBe('created');
      expect(await readText(workspace, 'a/new.txt')).toBe('written');
      expect(await workspace.writeFile('p', 'dangling', content, { fence: anyFence() })).toBe('overwritten');
      expect(await readlink(join(root, 'dangling'))).toBe('a/new.txt');
      await expect(workspace.writeFile('p', 'dangling-out', content, { fence: anyFence() })).rejects.toThrow(
        'outside the workspace',
      );
    });
  });

  it('files that hold secrets are not read, also not through a link', async () => {
    const names = ['.env', '.env.local', '.ENV', 'id_rsa', 'server.pem', 'tls.key', '.npmrc', '.netrc'];
    await inTempWorkspace({}, async ({ root, workspace }) => {
      for (const name of names) await writeFile(join(root, name), 'secret');
      await symlink('.env', join(root, 'notes.txt'));
      for (const name of [...names, 'notes.txt']) {
        await expect(readText(workspace, name)).rejects.toThrow(`protected file (may hold secrets): ${name}`);
      }
    });
  });

  it('names that only look like secrets are read', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      for (const name of ['environment.ts', 'id_rsa.pub', 'monkey', 'keys.ts', 'env']) {
        await writeFile(join(root, name), 'plain');
        expect(await readText(workspace, name)).toBe('plain');
      }
    });
  });

  it('nothing is written inside .git, also not through a link', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'sub/.git/hooks'), { recursive: true });
      await symlink('sub/.git', join(root, 'innocent'));
      for (const path of [
        '.git',
        '.git/config',
        'sub/.git/hooks/pre-commit',
        'innocent/hooks/post-merge',
        '.GIT/x',
      ]) {
        await expect(workspace.writeFile('p', path, content, { fence: anyFence() })).rejects.toThrow(
          `inside .git, which tools do not write: ${path}`,
        );
      }
      expect(await readdir(root)).toEqual(['innocent', 'sub']);
      expect(await workspace.writeFile('p', '.gitignore', content, { fence: anyFence() })).toBe('created');
    });
  });

  it('nothing is written inside .orion: its skills are in every later prompt', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      for (const path of ['.orion/skills/a.md', '.Orion/skills/b.md', 'sub/.orion/x']) {
        await expect(workspace.writeFile('p', path, content, { fence: anyFence() })).rejects.toThrow(
          'inside .orion, which tools do not write',
        );
      }
    });
  });

  it('a hard link is written as a new file: the other name keeps its content', async () => {
    await inTempWorkspace({}, async ({ base, root, workspace }) => {
      await writeFile(join(base, 'shared.txt'), OUTSIDE);
      await link(join(base, 'shared.txt'), join(root, 'shared.txt'));
      await workspace.writeFile('p', 'shared.txt', content, { fence: anyFence() });
      expect(await readFile(join(base, 'shared.txt'), 'utf8')).toBe(OUTSIDE);
    });
  });
});

describe('project folders', () => {
  it('each project sees only its own folder', async () => {
    await inTempWorkspace({ hasProjectFolders: true }, async ({ root, workspace }) => {
      await workspace.writeFile('one', 'x.txt', Buffer.from('of one'), { fence: anyFence() });
      expect(await readFile(join(root, 'one/x.txt'), 'utf8')).toBe('of one');
      await expect(readText(workspace, 'x.txt', 'two')).rejects.toThrow('not found: x.txt');
      await expect(readText(workspace, '../one/x.txt', 'two')).rejects.toThrow('outside the workspace');
      await symlink('../one', join(root, 'two/other'));
      await symlink(join(root, 'one'), join(root, 'two/absolute'));
      for (const path of ['other/x.txt', 'absolute/x.txt']) {
        await expect(readText(workspace, path, 'two')).rejects.toThrow(`outside the workspace: ${path}`);
      }
    });
  });

  it.each(['..', '.', 'a/b', '', 'x\0'])('project id %j is refused', async (projectId) => {
    await inTempWorkspace({ hasProjectFolders: true }, async ({ workspace }) => {
      await expect(readText(workspace, 'x', projectId)).rejects.toThrow('expected');
    });
  });

  it.each(['.git', '.GIT', '.orion', '.ssh', '...'])('project id %j has no folder', async (projectId) => {
    await inTempWorkspace({ hasProjectFolders: true }, async ({ workspace, root }) => {
      await mkdir(join(root, projectId), { recursive: true });
      await writeFile(join(root, projectId, 'config'), '[core]');
      const said = `a project whose id begins with a dot has no folder: expected another id, received ${projectId}`;
      await expect(readText(workspace, 'config', projectId)).rejects.toThrow(said);
      await expect(
        workspace.withEntry(projectId, 'config', { makesDirectories: true }, () => Promise.resolve()),
      ).rejects.toThrow(said);
    });
  });
});

/**
 * Swaps `a` for a link to `outside` and back as fast as it can, until it is told to stop. For moments there is no `a`,
 * and a write may make one, which is removed again.
 */
const FLIPPER = `
  const { renameSync, rmSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const stop = new Int32Array(workerData.stop);
  const [a, link, real] = ['a', 'link', 'real'].map((name) => workerData.root + '/' + name);
  const put = (from) => {
    for (;;) try { return renameSync(from, a); } catch { try { rmSync(a, { recursive: true }); } catch {} }
  };
  while (Atomics.load(stop, 0) === 0) {
    renameSync(a, real); put(link);
    renameSync(a, link); put(real);
    Atomics.add(stop, 1, 1);
  }`;

/** The number of reads that have to succeed, and of those that have to be refused, while the directory is swapped. */
const RACED_READS = 500;

describe('workspace jail under attack', () => {
  it('no read and no write leaves through a directory that is swapped for a link all the time', async () => {
    await inTempWorkspace({}, async ({ base, root, workspace }) => {
      await mkdir(join(root, 'a'));
      await mkdir(join(base, 'outside'));
      await symlink(join(base, 'outside'), join(root, 'link'));
      await writeFile(join(root, 'a/file.txt'), 'inside');
      await writeFile(join(base, 'outside/file.txt'), OUTSIDE);
      const handles = await openHandles();
      const stop = new SharedArrayBuffer(8);
      const flipper = new Worker(FLIPPER, { eval: true, workerData: { root, stop } });
      const seen = { inside: 0, escaped: 0, refused: 0 };
      const read = async () => {
        const text = await readText(workspace, 'a/file.txt').catch(() => 'refused');
        seen[text === OUTSIDE ? 'escaped' : text === 'inside' ? 'inside' : 'refused'] += 1;
      };
      const write = () =>
        workspace.writeFile('p', 'a/new.txt', content, { fence: anyFence() }).catch(() => undefined);
      try {
        await eventually('that enough reads met the folder, and enough the link', async () => {
          await Promise.all([write(), ...Array.from({ length: 30 }, read)]);
          return Math.min(seen.inside, seen.refused) >= RACED_READS;
        });
      } finally {
        Atomics.store(new Int32Array(stop), 0, 1);
        await new Promise((resolve) => flipper.once('exit', resolve));
      }
      const flips = Atomics.load(new Int32Array(stop), 1);
      logLine(`raced swaps: ${JSON.stringify({ ...seen, flips })}`);
      expect(seen.escaped).toBe(0);
      expect(await openHandles()).toBe(handles);
      expect(await readdir(join(base, 'outside'))).toEqual(['file.txt']);
    });
  });
});
