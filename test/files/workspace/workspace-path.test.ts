import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseWorkspacePath } from '../../../src/files/workspace/workspace-path.ts';

describe('workspace paths', () => {
  it.each([
    ['.', []],
    ['./', []],
    ['a', ['a']],
    ['./a//b/', ['a', 'b']],
    ['a\\b\\c.txt', ['a', 'b', 'c.txt']],
    ['a/../b', ['b']],
    ['a/..', []],
    ['...', ['...']],
    ['~/x', ['~', 'x']],
    ['a b/ü 😀', ['a b', 'ü 😀']],
    ['x/C:', ['x', 'C:']],
  ])('%s is folded', (path, components) => {
    expect(parseWorkspacePath(path)).toEqual(components);
  });

  it.each([
    ['/etc/passwd', 'outside the workspace: /etc/passwd'],
    ['//server/share', 'outside the workspace: //server/share'],
    ['\\\\server\\share', 'outside the workspace: \\\\server\\share'],
    ['\\x', 'outside the workspace: \\x'],
    ['C:/x', 'outside the workspace: C:/x'],
    ['c:x', 'outside the workspace: c:x'],
    ['..', 'outside the workspace: ..'],
    ['a/../../x', 'outside the workspace: a/../../x'],
    ['a\\..\\..\\x', 'outside the workspace: a\\..\\..\\x'],
    ['', 'path is empty (the workspace root is ".")'],
    ['  ', 'path is empty (the workspace root is ".")'],
    ['a\0b', 'path holds a NUL character: a\\u0000b'],
    ['a\ud800', 'path is no valid Unicode text: a\ufffd'],
    ['x/'.repeat(3000), 'path too long'],
  ])('%j is refused with a text that says why', (path, message) => {
    expect(() => parseWorkspacePath(path)).toThrow(message);
  });

  it('never have a separator or a step upwards in a folded component, whatever comes in', () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'b.txt',
      '/',
      '\\',
      'C:',
      ' ',
      '..\\..',
      '%2e%2e',
      '\u2025',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join('/')),
        ),
        (path) => {
          const components = componentsOrRefusal(path);
          expect(components.some((name) => name === '' || name === '.' || name === '..')).toBe(false);
          expect(components.some((name) => /[/\\\0]/.test(name))).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const componentsOrRefusal = (path: string): string[] => {
  try {
    return parseWorkspacePath(path);
  } catch {
    return [];
  }
};
