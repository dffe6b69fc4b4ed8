import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMcpServers } from '../../../src/config/files/mcp-servers.ts';

const read = (content: unknown, env = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-mcp-'));
  const path = join(folder, 'mcp.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const problems: string[] = [];
  const servers = readMcpServers(path, env, problems);
  rmSync(folder, { recursive: true });
  return { servers, problems: problems.map((problem) => problem.replaceAll(path, '<path>')) };
};

describe('the mcpServers file', () => {
  it('names stdio and HTTP servers; disabled ones and keys of other hosts are passed over', () => {
    const { servers, problems } = read(
      {
        $schema: 'any',
        mcpServers: {
          files: {
            command: 'npx',
            args: ['-y', 'x'],
            autoApprove: ['read'],
            orion: { effect: { wait: 'poll' } },
          },
          web: { type: 'http', url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
          old: { type: 'sse', url: 'http://localhost:1/sse' },
          off: { command: 'x', disabled: true },
        },
      },
      { KEY: 'secret' },
    );
    expect(problems).toEqual([]);
    expect(servers.map(({ name, transport, effects }) => ({ name, kind: transport.kind, effects }))).toEqual([
      { name: 'files', kind: 'stdio', effects: { wait: 'poll' } },
      { name: 'web', kind: 'http', effects: {} },
      { name: 'old', kind: 'sse', effects: {} },
    ]);
    expect(servers[1]?.transport).toMatchObject({ headers: { Authorization: 'Bearer secret' } });
  });

  it('says nothing of a disabled server or of the fields of other hosts, whatever is in them', () => {
    const { servers, problems } = read({
      inputs: ['${input:token}', '${UNSET}'],
      mcpServers: {
        off: { command: '', env: { KEY: '${UNSET}' }, disabled: true },
        on: { command: 'x', disabled: false, autoApprove: ['${workspaceFolder}'] },
      },
    });
    expect(problems).toEqual([]);
    expect(servers.map(({ name }) => name)).toEqual(['on']);
  });

  it('believes what tools say about themselves where the operator runs the program, or says that they are trusted', () => {
    const { servers } = read({
      mcpServers: {
        here: { command: 'x' },
        doubted: { command: 'x', orion: { trustAnnotations: false } },
        far: { url: 'https://mcp.example' },
        trusted: { url: 'https://mcp.example', orion: { trustAnnotations: true } },
      },
    });
    expect(servers.map(({ name, trustsAnnotations }) => [name, trustsAnnotations])).toEqual([
      ['here', true],
      ['doubted', false],
      ['far', false],
      ['trusted', true],
    ]);
  });

  it('fills in defaults of variables, and names those that are not set', () => {
    const entry = { command: '${A:-node}', args: ['${B}'] };
    expect(read({ mcpServers: { s: entry } }, { B: 'b' }).servers[0]?.transport).toMatchObject({
      command: 'node',
      args: ['b'],
    });
    expect(read({ mcpServers: { s: entry } }).problems).toEqual([
      'ORION_MCP_CONFIG: expected a file with "mcpServers", received <path> (not set: B)',
    ]);
  });

  it.each([
    ['no JSON', '{', /JSON/],
    ['no servers', {}, /mcpServers/],
    ['a name with blanks', { mcpServers: { 'a b': { command: 'x' } } }, /a b/],
    ['neither command nor url', { mcpServers: { s: {} } }, /mcpServers\.s\.url/],
    [
      'an unknown effect',
      { mcpServers: { s: { command: 'x', orion: { effect: { t: 'change' } } } } },
      /"read"\|"write"\|"poll" → at mcpServers\.s\.orion\.effect\.t/,
    ],
    ['a switch that is a text', { mcpServers: { s: { command: 'x', disabled: 'yes' } } }, /s\.disabled/],
    ['an entry that is no object', { mcpServers: { s: 'x' } }, /mcpServers\.s/],
    ['another protocol', { mcpServers: { s: { url: 'ftp://x' } } }, /URL → at mcpServers\.s\.url/],
  ])('refuses %s', (_what, content, reason) => {
    const { servers, problems } = read(content);
    expect(servers).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(reason);
  });

  it('says which file cannot be read', () => {
    const problems: string[] = [];
    readMcpServers('/nowhere/mcp.json', {}, problems);
    expect(problems[0]).toMatch(/^ORION_MCP_CONFIG: .*\/nowhere\/mcp.json \((Error: )?ENOENT/);
  });
});
