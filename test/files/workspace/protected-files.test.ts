/**
 * Covers files of a workspace that nobody may read or write: secrets of usual tools, Orion's own data, unfinished
 * writes.
 */
import { describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSearchFilesTool } from '../../../src/tools/workspace/search-files.ts';
import { listTree } from '../../../src/files/workspace/tree.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { anyFence, inTempWorkspace, readText } from '../../tools/support/temp-workspace.ts';

const put = async (root: string, path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};

const write = (workspace: Workspace, path: string) =>
  workspace.writeFile('p', path, Buffer.from('x'), { fence: anyFence() });

const search = async (workspace: Workspace, path: string, regex: string): Promise<string> => {
  const context = { turnId: 't', projectId: 'p', signal: new AbortController().signal, fence: anyFence() };
  const call = { path, regex, no_ignore: true };
  return JSON.stringify(await createSearchFilesTool(workspace).execute(call, context));
};

const list = async (workspace: Workspace): Promise<readonly string[]> =>
  (await listTree(workspace, 'p', '.', { depth: 9, includesIgnored: true, limit: 1_000 })).paths;

/** The paths of secrets, one in each line. */
const SECRETS = `
  .git/config
  sub/.git/config
  .git/modules/lib/config
  bare.git/config
  .GIT/Config
  .aws/credentials
  home/.aws/config
  .aws/sso/cache/a.json
  .ssh/config
  .ssh/keys/mine
  .docker/config.json
  .dockercfg
  .kube/config
  .kube/cache/x
  .config/gcloud/credentials.db
  .config/gh/hosts.yml
  .config/git/credentials
  .azure/msal_token_cache.json
  .gnupg/secring.gpg
  .npmrc
  .pypirc
  .netrc
  _netrc
  .pgpass
  .my.cnf
  .git-credentials
  .vault-token
  .cargo/credentials.toml
  .gem/credentials
  .m2/settings.xml
  .terraform.d/credentials.tfrc.json
  application_default_credentials.json
  prod.env
  PROD.ENV
  .env.local
  .envrc
  deploy/a.env
  id_rsa
  keys/id_ed25519
  a.pem
  b.key
  c.p12
  d.ppk
  e.kdbx
  .htpasswd
  .s3cfg
`
  .trim()
  .split(/\s+/);
const PLAIN = [
  'config',
  'a/config.json',
  'credentials.ts',
  'hosts.yml',
  'environment.ts',
  'id_rsa.pub',
  'env',
];

describe('files that hold secrets', () => {
  it.each(SECRETS)('%s is named, but neither read nor searched', async (path) => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await put(root, path, 'the-secret');
      await symlink(path, join(root, 'link.txt'));
      for (const name of [path, 'link.txt']) {
        await expect(readText(workspace, name)).rejects.toThrow('protected file (may hold secrets)');
      }
      expect(await list(workspace)).toContain(path);
      expect(await search(workspace, '.', 'the-sec')).not.toContain('the-secret');
      await expect(search(workspace, path, 'the-sec')).rejects.toThrow(/protected file|inside .git/);
    });
  });

  it.each(PLAIN)('%s is a file like any other', async (path) => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await put(root, path, 'plain');
      expect(await readText(workspace, path)).toBe('plain');
      expect(await search(workspace, '.', 'pla')).toContain('plain');
    });
  });
});

describe('a data directory inside the workspace', () => {
  const inWorkspace = (test: (root: string, workspace: Workspace) => Promise<void>, name = '.orion') =>
    inTempWorkspace({}, async ({ root }) => {
      await put(root, `${name}/postgres.password`, 'the-password');
      await put(root, `${name}/logs/worker.log`, 'the-password');
      await put(root, 'own.txt', 'the-password');
      const workspace = await openWorkspace({
        root,
        hasProjectFolders: false,
        excludedDirectory: join(root, name),
      });
      try {
        await test(root, workspace);
      } finally {
        await workspace.close();
      }
    });

  it.each(['.orion', 'data [1]'])('%s is not read, listed, searched or written', (name) =>
    inWorkspace(async (root, workspace) => {
      await symlink(name, join(root, 'way-in'));
      for (const way of [name, 'way-in']) {
        await expect(readText(workspace, `${way}/postgres.password`)).rejects.toThrow('own data');
        await expect(readText(workspace, `${way}/logs/worker.log`)).rejects.toThrow('own data');
        await expect(write(workspace, `${way}/new.txt`)).rejects.toThrow(/own data|tools do not write/);
        await expect(workspace.resolveTargetKey('p', `${way}/new.txt`)).rejects.toThrow(
          /own data|do not write/,
        );
        await expect(
          listTree(workspace, 'p', way, { depth: 1, includesIgnored: true, limit: 9 }),
        ).rejects.toThrow('own data');
        await expect(search(workspace, way, 'password')).rejects.toThrow('own data');
      }
      expect(await list(workspace)).toEqual([`${name}/`, 'own.txt', 'way-in']);
      expect(await search(workspace, '.', 'the-pass')).toBe(
        JSON.stringify({ ok: true, result: { path: '.', matches: ['own.txt:1:the-password'] } }),
      );
      expect(await readdir(join(root, name))).toEqual(['logs', 'postgres.password']);
    }, name),
  );

  it('is known by its identity, not by its name', () =>
    inWorkspace(async (root, workspace) => {
      await rename(join(root, '.orion'), join(root, 'moved'));
      await expect(readText(workspace, 'moved/postgres.password')).rejects.toThrow('own data');
      expect(await search(workspace, '.', 'the-pass')).not.toContain('moved');
    }));

  it('is made at once when it is missing, so that it is protected once it is filled', () =>
    inTempWorkspace({}, async ({ root }) => {
      const excludedDirectory = join(root, 'later');
      const workspace = await openWorkspace({ root, hasProjectFolders: false, excludedDirectory });
      await put(root, 'later/secret', 'x');
      await expect(readText(workspace, 'later/secret')).rejects.toThrow('own data');
      await workspace.close();
    }));

  it('may hold the workspace, but may not be it', () =>
    inTempWorkspace({}, async ({ base, root }) => {
      await put(root, 'a.txt', 'plain');
      const workspace = await openWorkspace({ root, hasProjectFolders: false, excludedDirectory: base });
      expect(await readText(workspace, 'a.txt')).toBe('plain');
      await workspace.close();
      await expect(
        openWorkspace({ root, hasProjectFolders: false, excludedDirectory: root }),
      ).rejects.toThrow('own data');
    }));

  it('a data directory elsewhere does not hide the skills of a project', () =>
    inTempWorkspace({}, async ({ base, root }) => {
      await put(root, '.orion/skills/a.md', '# Skill');
      const excludedDirectory = join(base, 'data');
      const workspace = await openWorkspace({ root, hasProjectFolders: false, excludedDirectory });
      expect(await readText(workspace, '.orion/skills/a.md')).toBe('# Skill');
      await workspace.close();
    }));
});

describe('names that are not written', () => {
  it.each(['.orion-tmp-x', 'a/../.orion-tmp-b-1', '.orion-tmp-folder/a.txt'])(
    '%s is reserved for unfinished writes',
    async (path) => {
      await inTempWorkspace({}, async ({ root, workspace }) => {
        await expect(write(workspace, path)).rejects.toThrow('kept for unfinished writes');
        await expect(workspace.resolveTargetKey('p', path)).rejects.toThrow('kept for unfinished writes');
        expect(await readdir(root)).toEqual([]);
      });
    },
  );

  it.each([
    ['p\u001b]52;c;eA==\u0007q.md', 'p\\u001b]52;c;eA==\\u0007q.md'],
    ['line\nbreak.txt', 'line\\u000abreak.txt'],
    ['c1\u009d.txt', 'c1\\u009d.txt'],
    ['invoice\u202efdp.exe', 'invoice\\u202efdp.exe'],
    ['new\u2066folder/a.txt', 'new\\u2066folder/a.txt'],
    ['in\u200bvisible.md', 'in\\u200bvisible.md'],
    ['no\u2060break.md', 'no\\u2060break.md'],
    ['notes\u{e0072}\u{e006d}.md', 'notes\\u{e0072}\\u{e006d}.md'],
  ])('%j is refused for a new file, and shown as %s', async (path, shown) => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      const reason = `name holds control, bidirectional or invisible characters: ${shown}`;
      await expect(write(workspace, path)).rejects.toThrow(reason);
      await expect(workspace.resolveTargetKey('p', path)).rejects.toThrow(reason);
      expect(await readdir(root)).toEqual([]);
    });
  });

  it('are read and replaced in files that exist, and do not restrict the letters of other names', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await put(root, 'Icon\r', 'old');
      expect(await readText(workspace, 'Icon\r')).toBe('old');
      expect(await workspace.resolveTargetKey('p', 'Icon\r')).toBe('Icon\r');
      expect(await write(workspace, 'Icon\r')).toBe('overwritten');
      for (const name of ['für 日本 👩‍👩‍👧.md', 'می‌خواهم.txt', '-rf']) {
        expect(await write(workspace, name)).toBe('created');
      }
      expect(await readFile(join(root, '-rf'), 'utf8')).toBe('x');
    });
  });
});
