/**
 * Tests in which folders tools may work: in none that contains Orion's own data, and in none whose name is mistyped.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newKey } from '../../src/access/new-key.ts';
import { ConfigError } from '../../src/base/errors/config-error.ts';
import { loadConfig, loadGatewayConfig, loadServiceConfig } from '../../src/config/load-config.ts';
import type { Environment } from '../../src/config/settings/load-settings.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'orion-place-')));
const dataDir = join(root, 'project', '.orion');
const data = { ORION_DATA_DIR: dataDir };
mkdirSync(join(dataDir, 'logs'), { recursive: true });
mkdirSync(join(root, 'elsewhere'));
symlinkSync(join(root, 'project'), join(root, 'link-to-project'));
symlinkSync(join(root, 'gone'), join(root, 'link-to-nothing'));
writeFileSync(join(root, 'file'), '');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const servers = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1/none',
  ORION_INTERNAL_TOKEN: '0123456789abcdef0123456789abcdef',
};

const problemsOf = (
  env: Environment,
  load: (env: Environment) => unknown = loadConfig,
): readonly string[] => {
  try {
    load({ ...data, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('a workspace', () => {
  it.each([
    ['that contains the data directory', join(root, 'project'), 'does not contain the data directory'],
    ['that contains it further down', root, 'does not contain the data directory'],
    ['that is the root of all', '/', 'does not contain the data directory'],
    ['that contains it by a link', join(root, 'link-to-project'), 'does not contain the data directory'],
    ['that is the data directory', dataDir, 'does not contain the data directory'],
    ['inside of the data directory', join(dataDir, 'logs'), 'outside of the data directory'],
    ['that does not exist', join(root, 'elsewere'), 'which does not exist'],
    ['whose link leads nowhere', join(root, 'link-to-nothing'), 'which leads nowhere'],
    ['that is a file', join(root, 'file'), 'expected a directory'],
  ])('%s is refused', (_which, workspace, reason) => {
    const problems = problemsOf({ ORION_WORKSPACE: workspace });
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect(problems[0]).toMatch(/^ORION_WORKSPACE: expected /);
    expect(problemsOf({ ...servers, ORION_WORKSPACE: workspace }, loadServiceConfig)).toEqual(problems);
    expect(problemsOf({ ...servers, ORION_WORKSPACE: workspace }, loadGatewayConfig)).toEqual(problems);
  });

  it.each([
    ['beside the data directory', join(root, 'elsewhere')],
    ['that is the default one, made or not', join(dataDir, 'workspace')],
  ])('%s is taken', (_which, workspace) => {
    expect(problemsOf({ ORION_WORKSPACE: workspace })).toEqual([]);
  });

  it('that is not set is accepted, but not as a link to the data directory', () => {
    expect(problemsOf({})).toEqual([]);
    const other = join(root, 'other');
    mkdirSync(other);
    symlinkSync(other, join(other, 'workspace'));
    expect(problemsOf({ ORION_DATA_DIR: other })).toEqual([
      expect.stringContaining('does not contain the data directory'),
    ]);
  });

  it('beside a data directory whose name only begins with its name is accepted', () => {
    mkdirSync(join(root, 'a'));
    mkdirSync(join(root, '..a'), { recursive: true });
    expect(problemsOf({ ORION_DATA_DIR: join(root, 'ab'), ORION_WORKSPACE: join(root, 'a') })).toEqual([]);
    expect(problemsOf({ ORION_DATA_DIR: join(root, '..a'), ORION_WORKSPACE: root })).toHaveLength(1);
  });
});

describe('project folders', () => {
  const fileOf = (name: string, ...projects: readonly string[][]): string => {
    const path = join(root, name);
    writeFileSync(path, JSON.stringify(projects.map((ids, index) => newKey(`k${index}`, ids).entry)));
    return path;
  };
  const bound = fileOf('bound.json', ['*'], ['a']);
  const open = fileOf('open.json', ['*'], ['a', '*']);
  const foldersOf = (env: Environment) => {
    const { hasProjectFolders, hasBoundKeys } = loadConfig({ ...data, ...env });
    return { hasProjectFolders, hasBoundKeys };
  };

  it('are on once a key is bound to projects, unless they are switched off', () => {
    expect(foldersOf({})).toEqual({ hasProjectFolders: false, hasBoundKeys: false });
    expect(foldersOf({ ORION_API_KEYS_FILE: open })).toEqual({
      hasProjectFolders: false,
      hasBoundKeys: false,
    });
    expect(foldersOf({ ORION_API_KEYS_FILE: bound })).toEqual({
      hasProjectFolders: true,
      hasBoundKeys: true,
    });
    expect(foldersOf({ ORION_API_KEYS_FILE: bound, ORION_PROJECT_FOLDERS: 'off' })).toEqual({
      hasProjectFolders: false,
      hasBoundKeys: true,
    });
  });

  it('must be set by hand where gateways and workers are started by hand', () => {
    const env = { ...servers, ORION_API_KEYS_FILE: bound };
    expect(problemsOf(env, loadGatewayConfig)).toEqual([
      expect.stringMatching(/^ORION_PROJECT_FOLDERS: expected on .* received nothing$/),
    ]);
    for (const said of ['on', 'off']) {
      expect(problemsOf({ ...env, ORION_PROJECT_FOLDERS: said }, loadGatewayConfig)).toEqual([]);
    }
  });
});
