/** Covers which files are closed to a command: all that are protected, found by names that a program searches for. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findProtectedFiles } from '../../../src/tools/command/protected-paths.ts';
import { findRipgrep } from '../../../src/tools/search/ripgrep.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-closed-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const find = async () => findProtectedFiles(folder, await findRipgrep(), new AbortController().signal);
const make = async (...paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), 'x');
  }
};

/** One name for each kind in `src/files/workspace/protected-files.ts`. */
const SECRETS = `
  .env .env.local prod.env PROD.ENV .EnV id_rsa id_ed25519_sk Server.PEM a.key a.p8 a.p12 a.pfx
  a.jks a.keystore a.ppk a.kdbx .npmrc .netrc .pgpass .pypirc .git-credentials .htpasswd
  .dockercfg .my.cnf .mylogin.cnf .vault-token .boto .s3cfg .databrickscfg .terraformrc _netrc
  pgpass.conf rclone.conf application_default_credentials.json .git/config repo.git/config
  bare.GIT/credentials .ssh/known_hosts .gnupg/a/b .aws/x .azure/x .kube/config
  .password-store/a.gpg .docker/config.json .config/gcloud/x .config/gh/hosts.yml
  .config/git/credentials .config/hub .cargo/credentials.toml .gem/credentials .bundle/config
  .m2/settings.xml .gradle/gradle.properties .composer/auth.json
  .terraform.d/credentials.tfrc.json
`
  .trim()
  .split(/\s+/);

it('the search finds every protected file, at the top and far below, ignored or not', async () => {
  const all = SECRETS.flatMap((path) => [path, `deep/er/${path}`, `node_modules/x/${path}`]);
  await make(...all, '.gitignore', 'deep/.gitignore', 'a.txt', 'environment', 'key/of.txt');
  await writeFile(join(folder, '.gitignore'), '*\n');
  const { unreadable } = await find();
  expect([...unreadable].sort()).toEqual([...all].sort());
});

it('the search finds the folders of repositories and skills, at the top also if there are none', async () => {
  await make('a/.git/HEAD', 'b/.GIT/x/y', 'c/.orion/skills/a.md', 'd/.git');
  expect([...(await find()).readOnly].sort()).toEqual(['.orion', 'a/.git', 'b/.GIT', 'c/.orion', 'd/.git']);
});

it('the host follows no link, and runs nothing where a link replaces a protected file', async () => {
  await make('x/.env');
  await symlink('x', join(folder, 'y'));
  expect((await find()).unreadable).toEqual(['x/.env']);
  await symlink('x', join(folder, '.git'));
  await expect(find()).rejects.toThrow('.git is a link');
});

it('the host runs nothing where a protected name cannot be passed on', async () => {
  execFileSync('sh', ['-c', `printf x >"$1/$(printf 'caf\\351.env')"`, 'sh', folder]);
  await expect(find()).rejects.toThrow('is not UTF-8');
});

it('the host runs nothing where there are more than can be closed', async () => {
  execFileSync('sh', ['-c', 'cd "$1" && seq 1 5100 | sed s/$/.pem/ | xargs touch', 'sh', folder]);
  await expect(find()).rejects.toThrow('more than 5000 protected files');
});
