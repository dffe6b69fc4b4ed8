/** The folders of a room have an order, as the rooms have (docs/architecture.md "Who may import whom"). */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

/** The folder of a room that a file lies in; undefined for a room's own files. */
const subRoomOf = (path: string): string | undefined => {
  const folders = dirname(path).split('/');
  const depth = folders[0] === 'src' ? 2 : 1;
  return folders.length === depth ? undefined : folders.slice(0, depth + 1).join('/');
};

interface Step {
  readonly said: string;
  readonly from: string;
  readonly to: string;
}

/** Imports from one folder of a room into another one, types included. */
const stepsOf = (path: string, text: string): readonly Step[] =>
  Array.from(text.matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';$/gm), ([, target = '']) => ({
    said: `${path} imports ${target}`,
    from: subRoomOf(path),
    to: subRoomOf(join(dirname(path), target)),
  })).filter(
    (step): step is Step => step.from !== undefined && step.to !== undefined && step.from !== step.to,
  );

/** Steps that lead to no end: all others are taken away, the last ones first. */
const circlesIn = (steps: readonly Step[]): readonly Step[] => {
  const begun = new Set(steps.map(({ from }) => from));
  const left = steps.filter(({ to }) => begun.has(to));
  return left.length === steps.length ? left : circlesIn(left);
};

const taken = globSync('{src,activities,workflows,worker}/**/*.{ts,tsx,mjs}').flatMap((path) =>
  stepsOf(path, readFileSync(path, 'utf8')),
);

it('no two folders of a room import one another, by whatever way', () => {
  expect(taken.length).toBeGreaterThan(100);
  expect(circlesIn(taken).map(({ said }) => said)).toEqual([]);
});

it('finds a circle by way of a third', () => {
  const planted = [
    stepsOf('src/a/one/x.ts', "import { y } from '../two/y.ts';"),
    stepsOf('src/a/two/y.ts', "import type { z } from '../three/z.ts';"),
    stepsOf('src/a/three/z.ts', "export { x } from '../one/x.ts';"),
    stepsOf('src/a/four/w.ts', "import { v } from '../five/v.ts';"),
  ].flat();
  expect(circlesIn(planted)).toHaveLength(3);
});
