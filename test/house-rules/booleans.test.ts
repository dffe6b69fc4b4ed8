/** A boolean reads as a statement or a question: no reader takes it for an event or a command (CONTRIBUTING.md). */
import { expect, it } from '@jest/globals';
import { PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';

/** Matches comments, which may name any field. */
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;
/** Matches a parameter or field with a type, a getter, and a field that begins as `true` or `false`. */
const DECLARED =
  /(?<![\w.$'])(?:(#?[a-z]\w*)\??: (?:boolean\b(?!\[)|(?:true|false);)|get (#?\w+)\(\): boolean|^ +(?:readonly )?(#?\w+) = (?:true|false);)/gm;
/** Matches `isX`, `mayX` and their like, and verbs in the third person. */
const READS_AS_A_STATEMENT =
  /^#?(?:(?:is|are|was|were|has|have|had|may|can|must|should|does|do|did|will)(?=[A-Z])|[a-z]+s(?=[A-Z]|$))/;

/** Names that somebody outside has chosen, by the file that has them. */
const OUTSIDE: readonly { readonly files: RegExp; readonly names?: readonly string[] }[] = [
  // These are fields of messages, of payloads in stored histories and of JSON in rows.
  { files: /^src\/contracts\// },
  // commander makes fields of the options of the command line, and the file of models has its own fields.
  { files: /^src\/cli\/args\// },
  { files: /^src\/config\/files\/models-file\.ts$/, names: ['vision'] },
  // These are columns of query results.
  { files: /^src\/db\//, names: ['applied', 'done', 'locked', 'whole'] },
  // These are fields of events and answers, under the names that they have there.
  { files: /^src\/gateway\/hub\/turn-sources\.ts$/, names: ['more'] },
  { files: /^src\/web\/wording\/token-words\.ts$/, names: ['estimated'] },
  // This field tells the two results of a union apart.
  { files: /^/, names: ['ok'] },
];

const isFromOutside = (file: string, name: string): boolean =>
  OUTSIDE.some(({ files, names }) => files.test(file) && (names === undefined || names.includes(name)));

it('every boolean is named as a statement or a question', () => {
  const declared = PRODUCT_FILES.flatMap((file) => {
    const code = sourceOf(file).replace(COMMENT, '');
    return Array.from(code.matchAll(DECLARED), (found) => ({
      file,
      name: found.slice(1).find(Boolean) ?? '',
    }));
  });
  expect(declared.length).toBeGreaterThan(300);
  const others = declared.filter(({ name }) => !READS_AS_A_STATEMENT.test(name));
  expect(others.filter(({ file, name }) => !isFromOutside(file, name))).toEqual([]);
});
