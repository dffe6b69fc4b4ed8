import { describe, expect, it } from '@jest/globals';
import { createWorkspaceTools } from '../../src/tools/workspace/workspace-tools.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { inTempWorkspace } from './support/temp-workspace.ts';

const names = (definitions: readonly { function: { name: string } }[]) =>
  definitions.map((one) => one.function.name);

describe('tool registry with the built-in tools', () => {
  it('plan mode offers reads only, act mode everything', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      const registry = createToolRegistry(createWorkspaceTools(workspace));
      expect(names(registry.definitions('plan'))).toEqual([
        'FileSystemTool_list_code_definition_names',
        'FileSystemTool_list_files',
        'FileSystemTool_read_file',
        'FileSystemTool_search_files',
      ]);
      expect(names(registry.definitions('act'))).toEqual([
        'FileSystemTool_edit_file',
        'FileSystemTool_list_code_definition_names',
        'FileSystemTool_list_files',
        'FileSystemTool_read_file',
        'FileSystemTool_search_files',
        'FileSystemTool_write_to_file',
      ]);
    });
  });

  it('names and aliases are exact', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      const registry = createToolRegistry(createWorkspaceTools(workspace));
      expect(registry.describe('read_file')?.name).toBe('FileSystemTool_read_file');
      expect(registry.describe('FileSystemTool_write_to_file')?.effect).toBe('write');
      for (const name of ['file', 'FileSystemTool', 'READ_FILE', 'read_file ', 'constructor', '']) {
        expect(await registry.find(name)).toBeUndefined();
      }
    });
  });

  /** The arguments that a tool needs besides a path. */
  const needed: Readonly<Record<string, object>> = {
    FileSystemTool_search_files: { regex: 'x' },
    FileSystemTool_write_to_file: { content: '' },
    FileSystemTool_edit_file: { edits: [{ old: 'a', new: 'b' }] },
  };

  it('the defaults that the protocol core fills in are those with which the tool runs', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      for (const tool of createWorkspaceTools(workspace)) {
        const parsed = tool.input.parse({ path: '.', ...needed[tool.declaration.name] });
        expect(parsed).toMatchObject(tool.declaration.defaults);
      }
    });
  });

  it('parameters are a JSON Schema that names every field, its description and its default', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      const registry = createToolRegistry(createWorkspaceTools(workspace));
      const list = registry.definitions('plan')[1]?.function.parameters;
      expect(list).toMatchObject({
        type: 'object',
        required: ['path'],
        additionalProperties: false,
        properties: { path: { type: 'string' }, recursive: { type: 'boolean', default: true } },
      });
      expect(list).not.toHaveProperty('$schema');
    });
  });

  it('two tools of one name are a mistake at start, not at the first call', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      const [tool] = createWorkspaceTools(workspace);
      if (tool === undefined) throw new Error('no tools');
      expect(() => createToolRegistry([tool, tool])).toThrow('tool name FileSystemTool_read_file');
    });
  });
});
