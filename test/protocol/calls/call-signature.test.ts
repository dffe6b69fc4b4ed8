/** Covers which calls are the same call (docs/protocol.md "Duplicates"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callSignature, foldPath } from '../../../src/protocol/calls/call-signature.ts';
import { declareTool } from '../../support/fake-ports.ts';
import { growthOf } from '../../support/growth.ts';

describe('foldPath', () => {
  it.each([
    ['', '.'],
    ['.', '.'],
    ['./', '.'],
    ['/', '/'],
    ['./a', 'a'],
    ['a/', 'a'],
    ['a//b', 'a/b'],
    ['a\\b', 'a/b'],
    ['a/./b/../c', 'a/c'],
    ['a/..', '.'],
    ['../a', '../a'],
    ['../../a', '../../a'],
    ['/../a', '/a'],
    ['A', 'A'],
    [' a', ' a'],
    ['...', '...'],
  ])('%j is %j', (path, folded) => {
    expect(foldPath(path)).toBe(folded);
  });

  it('takes time in proportion to a path of megabytes, which a model could use to hold up a worker', async () => {
    const large = 400_000;
    expect(foldPath('a/../'.repeat(large))).toBe('.');
    expect(foldPath('a/'.repeat(large))).toHaveLength(2 * large - 1);
    for (const unit of ['a/../', 'a/']) {
      // Ten times the length would take an algorithm that is not linear a hundred times as long.
      const fold = (count: number): string => foldPath(unit.repeat(count));
      expect(await growthOf(fold, { small: large / 10, large })).toBeLessThan(40);
    }
  });

  it('folds once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', '/', '\\', ' ') }), (path) => {
        expect(foldPath(foldPath(path))).toBe(foldPath(path));
      }),
    );
  });
});

describe('callSignature', () => {
  const tool = declareTool('Files_read', 'read', { pathArguments: ['path'], defaults: { deep: true } });
  const sign = (args: Record<string, unknown>, projectId = 'p'): string =>
    callSignature(tool, args, projectId);

  it('is the same for key order, spellings of a path, and defaults left out', () => {
    const same = [
      { path: 'a/b', deep: true },
      { deep: true, path: './a//b/' },
      { path: 'a\\x\\..\\b' },
      { path: 'a/b', deep: undefined },
    ].map((args) => sign(args));
    expect(new Set(same).size).toBe(1);
  });

  it('differs by case, type, whitespace, value, tool and project', () => {
    const others = [
      sign({ path: 'a' }),
      sign({ path: 'A' }),
      sign({ path: 'a ' }),
      sign({ path: 'a', deep: false }),
      sign({ path: 'a', n: 1 }),
      sign({ path: 'a', n: '1' }),
      sign({ path: 'a' }, 'q'),
      callSignature({ ...tool, name: 'Files_list' }, { path: 'a' }, 'p'),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('folds lists of paths and keeps other arguments as they are', () => {
    expect(sign({ path: ['./a', 'b'], text: './a' })).toBe(sign({ path: ['a', 'b/'], text: './a' }));
    expect(sign({ path: 'a', text: './a' })).not.toBe(sign({ path: 'a', text: 'a' }));
  });
});
