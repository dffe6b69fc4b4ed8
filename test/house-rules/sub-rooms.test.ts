/** The folders of a room have an order, as the rooms have (docs/architecture.md "Who may import whom"). */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { importsIn, PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';
import { folderOf, roomOf } from '../support/rooms.ts';

/**
 * Returns the folder of a room that contains a file; the room itself for a file directly in it, since these files count
 * as one more folder.
 */
const subRoomOf = (path: string): string => join(roomOf(path), folderOf(path) ?? '');

interface Step {
  readonly said: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the imports from one folder of a room into another one, including those of types. */
const stepsOf = (path: string, text: string): readonly Step[] =>
  importsIn(path, text)
    .filter((target) => roomOf(target) === roomOf(path))
    .map((target) => ({
      said: `${path} imports ${target}`,
      from: subRoomOf(path),
      to: subRoomOf(target),
    }))
    .filter(({ from, to }) => from !== to);

/**
 * Returns the imports that form a circle or lead to one. Imports of folders that import nothing are removed, again and
 * again, until every import leads to another one.
 */
const circlesIn = (steps: readonly Step[]): readonly Step[] => {
  const begun = new Set(steps.map(({ from }) => from));
  const left = steps.filter(({ to }) => begun.has(to));
  return left.length === steps.length ? left : circlesIn(left);
};

const taken = PRODUCT_FILES.flatMap((path) => stepsOf(path, sourceOf(path)));

it('no two folders of a room import one another, directly or indirectly', () => {
  expect(taken.length).toBeGreaterThan(100);
  expect(circlesIn(taken).map(({ said }) => said)).toEqual([]);
});

it('the check finds a circle through a third folder', () => {
  const planted = [
    stepsOf('src/a/one/x.ts', "import { y } from '../two/y.ts';"),
    stepsOf('src/a/two/y.ts', "import type { z } from '../three/z.ts';"),
    stepsOf('src/a/three/z.ts', "export { x } from '../one/x.ts';"),
    stepsOf('src/a/four/w.ts', "import { v } from '../five/v.ts';"),
  ].flat();
  expect(circlesIn(planted)).toHaveLength(3);
});

it('the check finds a file above the folders that imports one of them and is imported by it', () => {
  const planted = [
    stepsOf('src/a/x.ts', "import { y } from './one/y.ts';"),
    stepsOf('src/a/one/y.ts', "import type { z } from '../z.ts';"),
    stepsOf('src/a/one/w.ts', "import { v } from '../../b/v.ts';"),
  ].flat();
  expect(circlesIn(planted)).toHaveLength(2);
});
