/** Tests the stacks of folders: which one is meant, what it keeps, and when it counts as running. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findNearestStack, listStacks, findStack } from '../../src/background/running-stacks.ts';
import { stackEnvironment } from '../../src/background/stack-environment.ts';
import { requireStackWorkspace, stackPathsOf } from '../../src/background/stack-paths.ts';
import { readRecord, choosePorts } from '../../src/background/stack-record.ts';
import { readStartTime } from '../../src/stack/processes/process-identity.ts';
import { addedLine } from '../../src/stack/processes/reap.ts';

let root: string;
let state: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orion-stacks-')));
  [state, project] = [join(root, 'state'), join(root, 'project')];
  mkdirSync(join(project, 'src', 'deep'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes what a supervisor writes while it runs. */
const claim = (folder: string, owner: { pid: number; startTime: string }): void => {
  const { dataDir } = stackPathsOf(state, folder);
  const line = addedLine({ ...owner, signal: 'SIGTERM' }).replace('+', '=');
  writeFileSync(join(dataDir, 'processes.reap'), line);
};
const self = () => ({ pid: process.pid, startTime: readStartTime(process.pid) ?? '' });
const settle = (folder: string) => {
  const paths = stackPathsOf(state, folder);
  mkdirSync(paths.dataDir, { recursive: true });
  return choosePorts(paths);
};

describe('the folder of a stack', () => {
  it('is named after the folder and distinguished by its real path', () => {
    const other = join(root, 'other', 'project');
    mkdirSync(other, { recursive: true });
    const [one, two] = [stackPathsOf(state, project), stackPathsOf(state, other)];
    expect(basename(one.folder)).toMatch(/^project-[0-9a-f]{12}$/);
    expect(two.folder).not.toBe(one.folder);
    symlinkSync(project, join(root, 'link'));
    expect(stackPathsOf(state, join(root, 'link'))).toEqual(one);
    expect(basename(stackPathsOf(state, '/').folder)).toMatch(/^-[0-9a-f]{12}$/);
  });
});

describe('ports', () => {
  it('differ from each other, are kept, and are readable only for their owner', async () => {
    const ports = await settle(project);
    expect(new Set(Object.values(ports)).size).toBe(4);
    expect(await settle(project)).toEqual(ports);
    expect(statSync(stackPathsOf(state, project).recordFile).mode & 0o077).toBe(0);
  });

  it('change where another process has taken them; the others stay', async () => {
    const ports = await settle(project);
    const server = createServer().listen(ports.temporal, '127.0.0.1');
    await once(server, 'listening');
    try {
      const settled = await settle(project);
      expect(settled.temporal).not.toBe(ports.temporal);
      expect({ ...settled, temporal: ports.temporal }).toEqual(ports);
      expect(readRecord(stackPathsOf(state, project).recordFile)?.ports).toEqual(settled);
    } finally {
      server.close();
    }
  });

  it('are drawn anew where the record cannot be read', async () => {
    await settle(project);
    const { recordFile } = stackPathsOf(state, project);
    for (const broken of ['', '{', '{"workspace":1}', '{"workspace":"x","ports":{"gateway":99999}}']) {
      writeFileSync(recordFile, broken);
      expect(findStack(state, project)).toBeUndefined();
      await settle(project);
      expect(JSON.parse(readFileSync(recordFile, 'utf8'))).toMatchObject({ workspace: project });
    }
  });
});

describe('a running stack', () => {
  it('is found from its folder and from any below it, the nearest first', async () => {
    const { gateway } = await settle(project);
    claim(project, self());
    const deep = join(project, 'src', 'deep');
    const url = `http://127.0.0.1:${gateway}`;
    expect(
      [findNearestStack(state, project), findNearestStack(state, deep)].map((stack) => stack?.url),
    ).toEqual([url, url]);
    expect(findNearestStack(state, root)).toBeUndefined();
    expect(findStack(state, deep)).toBeUndefined();
    const nearer = await settle(join(project, 'src'));
    claim(join(project, 'src'), self());
    expect(findNearestStack(state, deep)?.url).toBe(`http://127.0.0.1:${nearer.gateway}`);
    expect(
      listStacks(state)
        .map(({ paths }) => paths.workspace)
        .toSorted(),
    ).toEqual([project, join(project, 'src')]);
  });

  it('is not one whose supervisor is gone, or whose process id now belongs to another process', async () => {
    await settle(project);
    expect(findNearestStack(state, project)).toBeUndefined();
    claim(project, { pid: 2 ** 22 + 1, startTime: '1' });
    expect(findNearestStack(state, project)).toBeUndefined();
    claim(project, { ...self(), startTime: '1' });
    expect(findNearestStack(state, project)).toBeUndefined();
    expect(listStacks(state)).toEqual([]);
  });
});

describe('a folder is refused', () => {
  const refusal = (folder: string): unknown => {
    try {
      return requireStackWorkspace(state, folder);
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };

  it('if it does not exist, is a file, contains data of Orion, or is a part of it', () => {
    writeFileSync(join(root, 'file'), '');
    mkdirSync(join(state, 'stacks', 'x', 'data'), { recursive: true });
    symlinkSync(root, join(project, 'up'));
    const own = `what Orion keeps for itself (${state}/stacks)`;
    const hint = 'name a folder in it, or set XDG_STATE_HOME to one outside of it';
    const problemOf = (folder: string): string => String(refusal(folder)).replace(/^.*workspace: /s, '');
    expect(problemOf(join(root, 'none'))).toBe(
      `expected a folder that is there, received "${join(root, 'none')}"`,
    );
    expect(problemOf(join(root, 'file'))).toBe(`expected a folder, received "${join(root, 'file')}"`);
    for (const folder of [root, join(project, 'up')]) {
      expect(problemOf(folder)).toBe(
        `expected a folder that does not contain ${own}, received "${folder}": ${hint}`,
      );
    }
    const part = join(state, 'stacks', 'x');
    expect(problemOf(part)).toBe(`expected a folder outside of ${own}, received "${part}"`);
    expect(refusal(project)).toBeUndefined();
  });
});

describe('the environment of a stack', () => {
  it('has folders, ports and servers of its own, whatever is set for others', () => {
    const paths = stackPathsOf(state, project);
    const env = stackEnvironment(
      {
        ORION_WORKSPACE: '/elsewhere',
        ORION_DATA_DIR: '/elsewhere',
        ORION_HOST: '0.0.0.0',
        ORION_PORT: '5000',
        DATABASE_URL: 'postgres://shared/db',
        DATABASE_URL_FILE: '/shared',
        TEMPORAL_ADDRESS: 'shared:7233',
        TEMPORAL_PROFILE: 'shared',
        TEMPORAL_CLI: '/usr/bin/temporal',
        OPENAI_API_KEY: 'kept',
      },
      '/checkout',
      paths,
      { gateway: 1, temporal: 2, temporalUi: 3, postgres: 4 },
    );
    expect(env).toEqual({
      NODE_COMPILE_CACHE: '/checkout/.orion/compile-cache',
      TEMPORAL_CLI: '/usr/bin/temporal',
      OPENAI_API_KEY: 'kept',
      ORION_WORKSPACE: project,
      ORION_DATA_DIR: paths.dataDir,
      ORION_HOST: '127.0.0.1',
      ORION_PORT: '1',
      ORION_TEMPORAL_PORT: '2',
      ORION_TEMPORAL_UI_PORT: '3',
      ORION_POSTGRES_PORT: '4',
    });
  });
});
