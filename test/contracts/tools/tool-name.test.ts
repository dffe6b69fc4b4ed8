import { expect, it } from '@jest/globals';
import { splitToolName, toolAction, toolLabel } from '../../../src/contracts/tools/tool-name.ts';

it.each([
  ['FileSystemTool_read_file', 'read_file', 'FileSystemTool.read_file'],
  ['FileSystemTool.read_file', 'read_file', 'FileSystemTool.read.file'],
  ['mcp__files__move', 'files.move', 'mcp__files__move'],
  ['mcp__files__move__all', 'files.move__all', 'mcp__files__move__all'],
  ['weather', 'weather', 'weather'],
])('%s does %s, and is read as %s', (name, action, label) => {
  expect([toolAction(name), toolLabel(name)]).toEqual([action, label]);
});

it('splits at the first underscore, and names of MCP servers nowhere', () => {
  expect(splitToolName('WritePlanTool_begin')).toEqual({ tool: 'WritePlanTool', action: 'begin' });
  expect(splitToolName('mcp__files__move')).toEqual({ tool: 'mcp__files__move', action: '' });
});
