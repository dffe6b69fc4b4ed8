import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Returns the rank of an import: first those of Node, then of packages, then of Orion. */
const placeOf = (from: string): number => (from.startsWith('node:') ? 0 : from.startsWith('.') ? 2 : 1);

it('imports are in order: Node’s, those of packages, ours', () => {
  const mixed = PRODUCT_FILES.filter((file) => {
    const text = sourceOf(file);
    const places = Array.from(text.matchAll(/^import [^;'"]* from '([^']+)'/gm), ([, from = '']) =>
      placeOf(from),
    );
    return places.some((place, index) => place < (places[index - 1] ?? 0));
  });
  expect(mixed).toEqual([]);
});
