import { expect, it } from '@jest/globals';
import { idiomsIn } from '../support/idioms.ts';
import { sourceOf, TEST_FILES } from '../support/repository-files.ts';

const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/.source;
/** Matches the title of an `it` or a `describe`, also behind `.each(…)` and at the end of `(… ? it : it.skip)`. */
const TITLE = new RegExp(
  `\\b(?:it|describe)(?:\\.skip)?\\)?(?:\\.each\\b[\\s\\S]*?\\))?\\(\\s*(${STRING})`,
  'g',
);

const titlesIn = (text: string): readonly string[] =>
  [...text.matchAll(TITLE)].map(([, quoted = '']) => quoted.slice(1, -1));

it('titles of tests are free of idioms that readers stumble over', () => {
  const files = TEST_FILES.filter((path) => path.endsWith('.test.ts'));
  expect(files).toContain('test/house-rules/title-idioms.test.ts');
  const found = files.flatMap((path) =>
    titlesIn(sourceOf(path)).flatMap((title) =>
      idiomsIn(title).map((advice) => `${path}: ${advice}: ${title}`),
    ),
  );
  expect(found).toEqual([]);
});

it('titles are found in every way to write them', () => {
  const text = `
describe.each(NAMES)('a', () => {
  it("b's", () => {});
  it.each([
    [f('x'), 1],
  ] as const)(
    'c %s',
    () => {},
  );
  it.each<[string, () => void]>(NONE)('d', () => {});
  (isLinux ? it : it.skip)('e', () => {});
});
`;
  expect(titlesIn(text)).toEqual(['a', "b's", 'c %s', 'd', 'e']);
});
