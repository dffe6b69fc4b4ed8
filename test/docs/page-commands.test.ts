/*
 * The test of the documented commands relies on `commandBlocks`: no test would run the commands of a block that it
 * overlooks.
 */
import { describe, expect, it } from '@jest/globals';
import { PAGES, sourceOf } from '../support/repository-files.ts';
import { EXAMPLES_PAGE, TYPED_PAGES, commandBlocks, missingLine } from './page-commands.ts';

const page = `# A page
\`\`\`sh
one
two
\`\`\`

\`\`\`text
result …
\`\`\`

<!-- not run: it installs something -->

\`\`\`sh
three
\`\`\`

Prose between.

\`\`\`text
not its output
\`\`\`

\`\`\`json
{}
\`\`\`
`;

describe('blocks of a page', () => {
  it('are its commands in order, each with the output directly behind it', () => {
    expect(commandBlocks(page)).toEqual([
      { line: 3, script: 'one\ntwo', shown: ['result …'], notRun: undefined },
      { line: 14, script: 'three', shown: [], notRun: 'it installs something' },
    ]);
  });
});

describe('shown output', () => {
  it.each([
    [['a', 'c'], 'a\nb\nc'],
    [['id: 101-…', '…', 'done'], 'id: 101-7\nx\ny\nall done.'],
    [['{"a":1,…}'], '{"a":1,"b":[2]}'],
    [[], 'anything'],
  ])('%j is in %j', (shown, output) => expect(missingLine(shown, output)).toBeUndefined());

  it.each([
    [['a', 'b'], 'b\na', 'b'],
    [['a.c'], 'abc', 'a.c'],
    [['x…y'], 'x\ny', 'x…y'],
  ])('%j is not in %j', (shown, output, missing) => expect(missingLine(shown, output)).toBe(missing));
});

const blocksOf = (path: string) => commandBlocks(sourceOf(path));

describe('every page', () => {
  it('says for each command that no test types why it is not typed', () => {
    const silent = PAGES.filter((path) => ![EXAMPLES_PAGE, ...TYPED_PAGES].includes(path))
      .flatMap((path) => blocksOf(path).map(({ line, notRun }) => ({ path, line, notRun })))
      .filter(({ notRun }) => notRun === undefined);
    expect(silent).toEqual([]);
  });
});

describe('a page whose commands are typed', () => {
  it.each(TYPED_PAGES)('exists and has commands: %s', (path) => {
    expect(blocksOf(path).filter(({ notRun }) => notRun === undefined)).not.toEqual([]);
  });
});
