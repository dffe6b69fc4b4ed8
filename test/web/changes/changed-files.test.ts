/** Covers which files a turn has changed, and how they are arranged as a tree. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedPaths, type TreeNode, treeOf } from '../../../src/web/changes/changed-files.ts';
import type { AnswerEntry, CallEntry } from '../../../src/web/turn/answer-entry.ts';

const call = (name: string, given: string, state: CallEntry['state'] = 'ok'): CallEntry => ({
  kind: 'call',
  seq: 1,
  callId: 'c',
  name,
  arguments: given,
  state,
});
const file = (target: string, stage: 'committed' | 'failed'): AnswerEntry => ({
  kind: 'file',
  seq: 1,
  text: '',
  file: { type: 'write_session', sessionId: 's', stage, target, bytes: 1, lines: 1, sha256: '' },
});

it('the changes of a turn are those of its writing calls and sessions, each once', () => {
  expect(
    changedPaths([
      call('FileSystemTool_write_to_file', '{"path":"./b.md"}'),
      call('FileSystemTool.edit_file', '{"path":"b.md"}'),
      call('FileSystemTool_edit_file', '{"path":"c.md"}', 'failed'),
      call('FileSystemTool_read_file', '{"path":"d.md"}'),
      call('FileSystemTool_write_to_file', '{"pa'),
      call('FileSystemTool_write_to_file', 'null'),
      file('a/x.md', 'committed'),
      file('a/y.md', 'failed'),
    ]),
  ).toEqual(['a/x.md', 'b.md']);
});

const leaves = (nodes: readonly TreeNode[], before = ''): readonly string[] =>
  nodes.flatMap(({ name, path, children }) =>
    path === '' ? leaves(children, before + name) : [`${before}${name}=${path}`],
  );

describe('the tree of files', () => {
  it('joins folders that hold only another one', () => {
    expect(treeOf(['a/b/c.md', 'a/b/d.md', 'e.md'])).toEqual([
      {
        name: 'a/b/',
        path: '',
        children: [
          { name: 'c.md', path: 'a/b/c.md', children: [] },
          { name: 'd.md', path: 'a/b/d.md', children: [] },
        ],
      },
      { name: 'e.md', path: 'e.md', children: [] },
    ]);
  });

  it('leads to each file by its path', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(path.map((names) => names.join('/'))), (paths) => {
        expect([...leaves(treeOf(paths))].sort()).toEqual(paths.map((each) => `${each}=${each}`).sort());
      }),
    );
  });
});
