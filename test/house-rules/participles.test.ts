/** A function that takes time does something, so its name is a verb and no participle. */
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches a participle without another word. Verbs that look the same in the present (`read`, `put`) are missing. */
const PARTICIPLE = new RegExp(
  `^(?:(?!need|feed|embed|speed|seed|exceed)[a-z]+ed|${[
    'begun|told|sent|kept|held|taken|given|written|lost|made|known|shown|gone|done',
    'found|built|said|asked|met|spent|drawn|chosen|broken|hidden',
  ].join('|')})$`,
);
/** Matches the head of a function that is asynchronous or returns a promise; the first or second group is its name. */
const SLOW =
  /(?:const (\w+) = (?:async\b|(?:<[^>]*>)?\([^()]*\): Promise<))|(?:^ {2}(?:private |override )?(?:async \*?)#?(\w+)\()/gm;

const slowParticiples = (source: string): readonly string[] =>
  [...source.matchAll(SLOW)]
    .map(([, constant, method]) => constant ?? method ?? '')
    .filter((name) => PARTICIPLE.test(name));

it('is a rule that the search for offenders follows', () => {
  const source = `const ended = async () => {};
const closed = (child: Child): Promise<void> => child.closed;
const escaped = (text: string): string => text;
const untilEnded = async () => {};
class Trace {
  async #kept(): Promise<void> {}
  said(text: string): void {}
}`;
  expect(slowParticiples(source)).toEqual(['ended', 'closed', 'kept']);
});

it('no function that takes time is called by a participle', () => {
  expect(PRODUCT_FILES.length).toBeGreaterThan(800);
  const found = PRODUCT_FILES.flatMap((file) =>
    slowParticiples(sourceOf(file)).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});
