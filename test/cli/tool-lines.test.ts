/** Tests what a person reads about a tool call: its subject, what it did, or why it could not do it. */
import { describe, expect, it } from '@jest/globals';
import { toolDetails, toolLine, toolSubject } from '../../src/cli/turn/tool-line.ts';

const file = (action: string): string => `FileSystemTool_${action}`;

describe('a tool line', () => {
  it.each([
    [
      file('read_file'),
      { path: 'src/calc.js' },
      { start_line: 1, end_line: 400 },
      '✓ read_file src/calc.js 1–400',
    ],
    [
      file('write_to_file'),
      { path: 'notes/a.md', content: 'x' },
      { status: 'created', lines: 12 },
      '✓ write_to_file notes/a.md +12 −0',
    ],
    [file('write_to_file'), { path: 'a' }, { status: 'overwritten', lines: 1 }, '✓ write_to_file a 1 line'],
    [file('edit_file'), { path: 'a', edits: [] }, { added: 3, removed: 1, diff: '' }, '✓ edit_file a +3 −1'],
    [file('edit_file'), { path: 'a', edits: [] }, { diff: 'a: 1 bytes → 2 bytes' }, '✓ edit_file a'],
    [
      'TerminalTool_run_command',
      { cwd: 'a', command: 'npm test' },
      { exit_code: 1 },
      '✓ run_command "npm test" exit 1',
    ],
    [
      'TerminalTool_run_command',
      { command: 'x' },
      { exit_code: null, ended: 'it took too long' },
      '✓ run_command "x" it took too long',
    ],
    [file('list_files'), { path: '.' }, { entries: ['a', 'b'] }, '✓ list_files . 2 entries'],
    [file('search_files'), { path: '.', regex: 'a"b' }, { matches: ['x'] }, '✓ search_files "a\\"b" 1 match'],
    ['FileSystemTool.read_file', { path: 'of/an/old/turn' }, {}, '✓ read_file of/an/old/turn'],
    ['WritePlanTool_begin', { target_file: 'docs/b.md' }, {}, '✓ begin docs/b.md'],
    ['mcp__git__log', { limit: 3, branch: 'main' }, 'text', '✓ git.log "main"'],
    ['mcp__git__log', [], null, '✓ git.log'],
  ])('%s %j', (name, args, result, line) => {
    expect(toolLine({ name, args: JSON.stringify(args), ok: true, result })).toBe(line);
  });

  it('of a failure says why, on one line', () => {
    const args = '{"path":"src","regex":"foo"}';
    const failed = { name: file('search_files'), args, ok: false };
    expect(toolLine({ ...failed, error: 'not found: src' })).toBe(
      '✗ search_files "foo" in src — not found: src',
    );
    expect(toolLine({ ...failed, error: `a\nb${'x'.repeat(300)}` })).toMatch(/— a bx{197}…$/);
    expect(toolLine(failed)).toBe('✗ search_files "foo" in src');
  });

  it('shows what it can of arguments that have not arrived whole, and obeys nothing in them', () => {
    expect(toolSubject({ name: file('read_file'), args: '{"path":"a' })).toBe('read_file');
    expect(toolLine({ name: 'x\u001B[2J', args: '{}', ok: true })).not.toContain('\u001B');
  });

  it('has arguments and the head of the result below it where details are wanted', () => {
    const result = { content: 'y'.repeat(1_000) };
    const [given, gave] = toolDetails({ name: 'n', args: '{"a": 1}', ok: true, result });
    expect(given).toBe('    ← {"a": 1}');
    expect(gave?.length).toBeLessThan(420);
    expect(toolDetails({ name: 'n', args: '{}', ok: false, error: 'why' }).at(-1)).toBe('    → why');
    expect(toolDetails({ name: 'n', args: '{}', ok: true, result: 'l\n'.repeat(50) })).toHaveLength(6);
  });
});
