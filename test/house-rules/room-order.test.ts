/** Imports lead down: a room and its folders import only from those before them in docs/architecture.md. */
import { expect, it } from '@jest/globals';
import { CODE_FILES, importsIn, PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';
import { folderOf, FOLDERS_OF_ROOMS, roomOf, ROOMS } from '../support/rooms.ts';

const importsOf = (path: string): readonly string[] => importsIn(path, sourceOf(path));

it('a room imports only from those before it', () => {
  const upward = CODE_FILES.flatMap((path) =>
    importsOf(path)
      .filter((target) => ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(path)))
      .map((target) => `${path} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

it('a folder imports only from those before it', () => {
  const upward = PRODUCT_FILES.flatMap((path) => {
    const order = FOLDERS_OF_ROOMS.get(roomOf(path)) ?? [];
    const own = order.indexOf(folderOf(path) ?? '');
    return importsOf(path)
      .filter((target) => own !== -1 && roomOf(target) === roomOf(path))
      .filter((target) => order.indexOf(folderOf(target) ?? '') > own)
      .map((target) => `${path} imports ${target}`);
  });
  expect(upward).toEqual([]);
});

it('only rooms that speak HTTP import the contracts of routes', () => {
  const speakers = ['src/contracts', 'src/compat', 'src/gateway', 'src/cli', 'src/web'];
  const others = PRODUCT_FILES.filter((path) => !speakers.includes(roomOf(path))).flatMap((path) =>
    importsOf(path)
      .filter((target) => target.startsWith('src/contracts/http/'))
      .map((target) => `${path} imports ${target}`),
  );
  expect(others).toEqual([]);
});

it('the imports are found, and so are rooms and folders', () => {
  expect(importsOf('workflows/turn/turn-workflow.ts').map(roomOf)).toContain('src/protocol');
  expect(ROOMS).toContain('src/protocol');
  expect(FOLDERS_OF_ROOMS.get('src/protocol')).toContain('turn');
});
