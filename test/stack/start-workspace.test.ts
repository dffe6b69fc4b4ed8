/** Covers what a start says of the workspace, since it goes to a terminal and anybody may have named the files. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../src/config/config.ts';
import { runDemonstration } from '../../src/stack/demonstration.ts';
import { ensureWorkspace, listWorkspaceNotices } from '../../src/stack/start-workspace.ts';

const TITLE = '\u001b]0;PWNED\u0007';
let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'orion-start-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const noticesOf = (fields: Partial<Config>): string =>
  listWorkspaceNotices({ workspace, hasProjectFolders: true, hasBoundKeys: true, ...fields } as Config).join(
    '\n',
  );

describe('notices of a workspace', () => {
  it('name files that belong to no project, in a form that a terminal may show', () => {
    writeFileSync(join(workspace, `AA${TITLE}a.md`), '');
    const notices = noticesOf({});
    expect(notices).toContain('no tool reaches AA\\u001b]0;PWNED\\u0007a.md in ');
    expect(notices).not.toContain('\u001b');
  });

  it('name five and count the rest', () => {
    for (let n = 0; n < 7; n += 1) writeFileSync(join(workspace, `${n}.md`), '');
    expect(noticesOf({})).toMatch(/no tool reaches (\d\.md, ){4}\d\.md, and 2 more in /);
  });

  it('warn of keys for single projects while all projects share the files', () => {
    expect(noticesOf({ hasProjectFolders: false })).toMatch(/^warning: API keys are bound to projects/);
    expect(noticesOf({ hasProjectFolders: false, hasBoundKeys: false })).toBe('');
  });
});

describe('files to ask about', () => {
  const configWith = (some: Partial<Config>): Config =>
    ({
      dataDir: workspace,
      workspace: join(workspace, 'workspace'),
      hasProjectFolders: false,
      ...some,
    }) as Config;

  it('are created at the first start, and not again when they were removed', () => {
    const config = configWith({});
    ensureWorkspace(config);
    expect(readdirSync(config.workspace).toSorted()).toEqual([
      'README.md',
      'notes',
      'package.json',
      'src',
      'test',
    ]);
    rmSync(join(config.workspace, 'README.md'));
    ensureWorkspace(config);
    expect(readdirSync(config.workspace).toSorted()).toEqual(['notes', 'package.json', 'src', 'test']);
  });

  it('are created in no workspace that a setting names, or that has a folder for each project', () => {
    const named = configWith({ workspace: join(workspace, 'mine') });
    mkdirSync(named.workspace);
    for (const config of [named, configWith({ hasProjectFolders: true })]) {
      ensureWorkspace(config);
      expect(readdirSync(config.workspace)).toEqual([]);
    }
  });
});

it('a demonstration shows what a model, a tool and an error say, and a terminal obeys none of it', async () => {
  const frames = [
    { type: 'phase', phase: `action${TITLE}` },
    { type: 'chunk', chunk: `I found AA${TITLE}a.md` },
    { type: 'tool_result', tool_result: { name: `list${TITLE}`, durationMs: 1 } },
    { type: 'error', error: `failed${TITLE}` },
  ];
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    let written = '';
    const { port } = server.address() as AddressInfo;
    await runDemonstration(`http://127.0.0.1:${port}`, (text) => (written += text));
    expect(written).toContain('I found AA\\u001b]0;PWNED\\u0007a.md');
    expect(written).not.toContain('\u001b]0;');
  } finally {
    server.close();
  }
});
