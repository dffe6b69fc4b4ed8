import type { FileEdit } from '../../../../src/tools/edit/apply-edits.ts';

/** An edit that a model asks for, and what the model means by it. */
export interface EditCase {
  readonly name: string;
  readonly kind: string;
  /** The content of the file. */
  readonly content: string;
  readonly edits: readonly FileEdit[];
  /** True when the edits fit; otherwise they must be refused. */
  readonly isRight: boolean;
  /** The file as the model wants it. */
  readonly meant: string;
  /** A text that only the line which is meant contains. */
  readonly mark: string;
  change(line: string): string;
  /** The same edit with the line before it, as the model makes it once it was told that there are several places. */
  readonly withContext: readonly FileEdit[];
}

/** How lines of source look in one language; `n` is a part of each line, so that lines differ from each other. */
interface Language {
  readonly name: string;
  readonly indent: string;
  line(n: number): string;
  comment(n: number): string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    indent: '  ',
    line: (n) => `const total${n} = price${n} * "${n}";`,
    comment: (n) => `// Größe ${n}: „schön“`,
  },
  {
    name: 'Python',
    indent: '    ',
    line: (n) => `total_${n} = prices[${n}] * '${n}'`,
    comment: (n) => `# 合計 ${n}、税込み`,
  },
  {
    name: 'Go',
    indent: '\t',
    line: (n) => `total${n} := price(${n}, "${n}")`,
    comment: (n) => `// Сумма ${n} без налога`,
  },
  {
    name: 'HTML',
    indent: '  ',
    line: (n) => `<li class="total-${n}">Prix n° ${n} : l'été</li>`,
    comment: (n) => `<!-- récapitulatif ${n} -->`,
  },
  {
    name: 'Markdown',
    indent: '  ',
    line: (n) => `- total ${n}: see "part ${n}" of the price list`,
    comment: (n) => `المجموع ${n}`,
  },
];

const LINES = 40;
const REPEATS = 6;
const END = 'same in every block';

interface Source {
  readonly language: Language;
  /** The lines of the source without their line breaks. */
  readonly lines: readonly string[];
  /** The index of the line that is meant. */
  readonly at: number;
}

const sourceOf = (language: Language, seed: number): Source => {
  const lines = Array.from({ length: LINES }, (_, i) => {
    const depth = language.indent.repeat(1 + (i % 3));
    if (i % 5 === 4) return `${depth}${END}`;
    return i % 5 === 3 ? `${depth}${language.comment(i + seed)}` : `${depth}${language.line(100 + i + seed)}`;
  });
  return { language, lines, at: 5 + 5 * seed };
};

const markOf = ({ lines, at }: Source): string => /\d{3}/.exec(lines[at] ?? '')?.[0] ?? '';
const change = (line: string): string => `${line} /* changed */`;
const text = (lines: readonly string[], lineBreak = '\n'): string =>
  lines.map((line) => line + lineBreak).join('');
const changedAt = ({ lines, at }: Source): readonly string[] =>
  lines.map((line, i) => (i === at ? change(line) : line));
const edit = (old: string, fresh: string): FileEdit => ({ old, new: fresh, expect: 1 });

type Variant = Partial<Omit<EditCase, 'name' | 'kind' | 'mark' | 'change'>>;

/** A variant for each kind of edit; what it leaves out is the same as in the plain edit. */
const KINDS: Readonly<Record<string, (source: Source, line: string) => Variant>> = {
  exact: () => ({}),
  'CR LF': (source, line) => {
    const before = source.lines[source.at - 1] ?? '';
    return {
      content: text(source.lines, '\r\n'),
      edits: [edit(`${before}\n${line}\n`, `${before}\n${change(line)}\n`)],
      meant: text(changedAt(source), '\r\n'),
    };
  },
  'mixed line breaks': (source, line) => ({
    content: `${text(source.lines)}end\r\n`,
    edits: [edit(`${line}\n`, `${change(line)}\n`)],
    meant: `${text(changedAt(source))}end\r\n`,
  }),
  'no final line break': (source) => {
    const lines = source.lines.slice(0, source.at + 1);
    return { content: lines.join('\n'), meant: changedAt({ ...source, lines }).join('\n') };
  },
  'several edits': (source, line) => {
    const last = source.lines.length - 2;
    const other = source.lines[last] ?? '';
    const lines = changedAt(source).map((one, i) => (i === last ? `${one}!` : one));
    return { edits: [edit(other, `${other}!`), edit(line, change(line))], meant: text(lines) };
  },
  'tabs for blanks': (_source, line) => {
    const other = line.startsWith('\t') ? line.replace(/^\t+/, '        ') : line.replace(/^ +/, '\t');
    return { edits: [edit(other, change(other))], isRight: false };
  },
  'look-alike quotes': (_source, line) => {
    const other = line.replaceAll(/["']/g, '\u201D');
    return { edits: [edit(other, change(other))], isRight: false };
  },
  'stale text': (_source, line) => {
    const other = line.replace(/price|Prix/i, 'cost');
    return { edits: [edit(other, change(other))], isRight: false };
  },
  'numbered lines': (source, line) => {
    const other = `${source.at + 1}\t${line}`;
    return { edits: [edit(other, change(line))], isRight: false };
  },
  duplicates: (source) => {
    // The edit is of the line that every block has, after the comment that is meant.
    const at = source.at + 4;
    const [before = '', line = ''] = source.lines.slice(at - 1, at + 1);
    return {
      edits: [edit(END, `${END} /* changed */`)],
      isRight: false,
      meant: text(changedAt({ ...source, at })),
      withContext: [edit(`${before}\n${line}`, `${before}\n${change(line)}`)],
    };
  },
};

const caseOf = (kind: string, language: Language, seed: number): EditCase => {
  const source = sourceOf(language, seed);
  const line = source.lines[source.at] ?? '';
  return {
    name: `${kind}, ${language.name}, ${seed}`,
    kind,
    content: text(source.lines),
    edits: [edit(line, change(line))],
    isRight: true,
    meant: text(changedAt(source)),
    mark: markOf(source),
    change,
    withContext: [],
    ...KINDS[kind]?.(source, line),
  };
};

/** Ten kinds of edits in five languages, six of each. */
export const EDIT_CASES: readonly EditCase[] = Object.keys(KINDS).flatMap((kind) =>
  LANGUAGES.flatMap((language) => Array.from({ length: REPEATS }, (_, seed) => caseOf(kind, language, seed))),
);
