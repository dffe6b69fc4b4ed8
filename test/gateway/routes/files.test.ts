import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceError } from '../../../src/files/workspace/workspace-error.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

let folder: string;
let root: string;
let workspace: Workspace;
let world: GatewayWorld;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-files-'));
  root = join(folder, 'workspace');
  await mkdir(join(root, 'p/src/deep'), { recursive: true });
  await mkdir(join(root, 'q'));
  await mkdir(join(folder, 'elsewhere'));
  await mkdir(join(root, 'p/data'));
  for (const path of [
    'p/README.md',
    'p/src/a.ts',
    'p/hidden.log',
    'q/foreign.md',
    '../elsewhere/foreign.md',
  ]) {
    await writeFile(join(root, path), 'x');
  }
  await writeFile(join(root, 'p/.gitignore'), '*.log\n');
  await symlink('../q', join(root, 'p/link'));
  await symlink(join(folder, 'elsewhere'), join(root, 'p/away'));
  await symlink('src', join(root, 'p/inner'));
  workspace = await openWorkspace({ root, hasProjectFolders: true, excludedDirectory: join(root, 'p/data') });
  world = await GatewayWorld.open({}, { workspace });
});
afterEach(async () => {
  await world.close();
  await workspace.close();
  await rm(folder, { recursive: true, force: true });
});

const files = (query: string) => world.get(`/api/files?${query}`);

describe('GET /api/files', () => {
  it('lists a folder of the project, without the entries that its tools do not list', async () => {
    expect((await files('projectId=p')).body).toEqual({
      path: '.',
      entries: ['.gitignore', 'README.md', 'away', 'data/', 'inner', 'link', 'src/'],
      truncated: false,
    });
    expect((await files('project_id=p&path=src')).body['entries']).toEqual(['src/a.ts', 'src/deep/']);
    expect((await files('projectId=p&path=src/deep')).body['entries']).toEqual([]);
  });

  it.each([
    '..',
    '../q',
    '%2e%2e%2fq',
    'link',
    'away',
    '/etc',
    '/proc/self/fd',
    'README.md',
    'src/../../q',
    'nowhere',
    'a%00b',
    'data',
    'x'.repeat(300),
  ])('leads to no other file: %s', async (path) => {
    const { status, body, text } = await files(`projectId=p&path=${path}`);
    expect([status, body['code']]).toEqual([404, 'not_found']);
    expect(text).not.toContain('foreign');
  });

  it('follows links that stay inside', async () => {
    expect((await files('projectId=p&path=inner')).body['entries']).toEqual(['src/a.ts', 'src/deep/']);
  });

  it.each([
    ['a project outside the root', 'projectId=../q'],
    ['two paths', 'projectId=p&path=a&path=b'],
    ['a path that is too long', `projectId=p&path=${'x/'.repeat(2_049)}`],
  ])('refuses %s', async (_name, query) => {
    const { status, body } = await files(query);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
  });

  it('has at most 1,000 entries, and says so', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `${String(index).padStart(4, '0')} <b>.txt`);
    await mkdir(join(root, 'p/many'));
    await Promise.all(names.map((name) => writeFile(join(root, 'p/many', name), '')));
    const { body } = await files('projectId=p&path=many');
    expect(body['entries']).toEqual(names.slice(0, 1_000).map((name) => `many/${name}`));
    expect(body['truncated']).toBe(true);
  });

  it('has nothing for an unknown project, and makes no folder for it', async () => {
    expect((await files('projectId=unknown')).body['entries']).toEqual([]);
    expect((await files('projectId=.git')).status).toBe(404);
    expect((await readdir(root)).toSorted()).toEqual(['p', 'q']);
  });
});

describe('GET /api/turns/:id/changes', () => {
  const asked: unknown[] = [];
  const changes = async (query: string) => {
    const start = { projectId: 'p', content: 'hi', requestId: 't' };
    const other = await GatewayWorld.open(
      {},
      {
        turnUndo: {
          undo: () => Promise.reject(new Error('nobody asked for an undo')),
          readTexts: (turn, path) => {
            asked.push([turn, path]);
            if (path === 'a.md') return Promise.resolve({ before: 'one', after: 'two' });
            if (path === 'b.md') return Promise.resolve({ reason: 'The file is no text.' });
            if (path === 'c.md') return Promise.resolve(undefined);
            return Promise.reject(new WorkspaceError('outside', path, 'outside the workspace'));
          },
        },
      },
    );
    try {
      await other.post('/api/turns', start);
      return await other.get(`/api/turns/t/changes${query}`);
    } finally {
      await other.close();
    }
  };

  it('returns both texts of a file of the turn, or why it does not', async () => {
    expect((await changes('?path=a.md')).body).toEqual({
      path: 'a.md',
      texts: { before: 'one', after: 'two' },
    });
    expect(asked).toEqual([[{ turnId: 't', projectId: 'p' }, 'a.md']]);
    expect((await changes('?path=b.md')).body).toEqual({ path: 'b.md', reason: 'The file is no text.' });
  });

  it.each([
    ['a file that was not changed', '?path=c.md', 404, 'not_found'],
    ['a file outside the workspace', '?path=../q/foreign.md', 404, 'not_found'],
    ['a missing path', '', 400, 'validation_failed'],
    ['a path that is too long', `?path=${'x'.repeat(4_097)}`, 400, 'validation_failed'],
  ])('refuses %s', async (_name, query, status, code) => {
    const answer = await changes(query);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });
});
