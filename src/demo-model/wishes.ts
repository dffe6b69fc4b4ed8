import { MAX_WRITE_TO_FILE_LINES } from '../contracts/tools/built-in-tools.ts';
import { type WriteOperation, writeOperationSchema } from '../contracts/write-session/write-session.ts';

/** Something that a user asks the demo model to do. */
export type DemoWish =
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'search'; readonly path: string; readonly text: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  /** The file has a bug, which has to be found before it can be fixed. */
  | { readonly kind: 'fix'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'ask'; readonly question: string }
  /** The query is searched in earlier messages of the conversation. */
  | { readonly kind: 'recall'; readonly query: string }
  /** The file is too long for one tool call, so it is written through a write session. */
  | {
      readonly kind: 'write_long';
      readonly path: string;
      readonly lines: number;
      readonly operation: WriteOperation;
    };

const MAX_LINES = 5_000;
/** The path of a long file that the user has not named. */
const LONG_FILE = 'notes/long.md';

const VERBS =
  /\b(list|show|which files|what files|read|open|summari[sz]e|explain|search|find|grep|look for|write|create|save|overwrite|append|edit|fix|replace|run|ask me|what did (?:i|you|we) (?:say|tell you|find|read) about)\b/gi;
const PATH_LIKE = /(?:[\w@-][\w@.-]*\/)*[\w@-][\w@.-]*\.[a-z]\w{0,9}\b|(?:[\w@.-]+\/)+[\w@-]*/i;

/** A wish that was read from a question, if there is one. */
interface ReadWish {
  readonly wish: DemoWish | undefined;
  /** Number of characters, from the verb on, in which no further wish begins. */
  readonly length: number;
}

/**
 * Finds the wishes in a question, in the order of its words. Understands plain English such as `List the files and read
 * README.md`. With the word `twice`, each wish is returned twice, unless the last one takes all words after its verb (a
 * question, a recall, a file to write).
 */
export const readWishes = (question: string): readonly DemoWish[] => {
  const verbMatches = [...question.matchAll(VERBS)];
  const wishes: DemoWish[] = [];
  let end = 0;
  for (const [i, verb] of verbMatches.entries()) {
    // Words that belong to an earlier wish, such as the text of an edit, contain no further wishes.
    if (verb.index < end) continue;
    const { wish, length } = readWishAt(question, verb, verbMatches[i + 1]?.index);
    if (wish) wishes.push(wish);
    end = verb.index + length;
  }
  return end < Infinity && /\btwice\b/i.test(question) ? wishes.flatMap((wish) => [wish, wish]) : wishes;
};

/**
 * Reads the wish that begins with a verb. `nextVerb` is the index of the next verb, at which a wish to look at
 * something ends.
 */
const readWishAt = (question: string, { 0: match, index }: RegExpExecArray, nextVerb?: number): ReadWish => {
  const verb = match.toLowerCase();
  const words = question.slice(index);
  const wordsAfterVerb = words.slice(verb.length);
  if (/^(edit|fix|replace)$/.test(verb)) {
    return editWish(words) ?? (verb === 'fix' ? fixWish(words) : undefined) ?? NO_WISH;
  }
  if (verb === 'run') {
    return (BEGINS_A_WISH.test(question.slice(0, index)) ? runWish(words) : undefined) ?? NO_WISH;
  }
  // Everything after these words is the question to ask, what to search for, or the content of the file, whatever verbs
  // it contains.
  if (verb === 'ask me') return { wish: askWish(wordsAfterVerb), length: Infinity };
  if (verb.endsWith(' about')) return { wish: recallWish(wordsAfterVerb), length: Infinity };
  if (/^(write|create|save|overwrite|append)$/.test(verb)) {
    const wish = writeWish(words);
    return wish ? { wish, length: Infinity } : NO_WISH;
  }
  return { wish: lookWish(verb, question.slice(index + verb.length, nextVerb)), length: 0 };
};

const NO_WISH: ReadWish = { wish: undefined, length: 0 };

/** Matches what may come before `run` for it to be a wish. A question such as “how does it run” is none. */
const BEGINS_A_WISH = /(?:^|[.,:;!?]|\b(?:and|then|please))\s*$/i;
/** The command for `run the tests`. */
const TEST_COMMAND = 'node --test';

/** Reads a command in backticks, `the tests`, or all words up to the next wish. Returns undefined if there is none. */
const runWish = (words: string): ReadWish | undefined => {
  const tests = /^run\s+(?:the\s+)?tests?\b/i.exec(words);
  if (tests) return { wish: { kind: 'run', command: TEST_COMMAND }, length: tests[0].length };
  const match =
    /^run\s*:?\s*`([^`]+)`/i.exec(words) ??
    /^run\s*:?\s*(.+?)(?=[.!]?\s*$|,?\s+(?:and|then)\b)/is.exec(words);
  const command = match?.[1]?.trim() ?? '';
  return command === '' ? undefined : { wish: { kind: 'run', command }, length: match?.[0].length ?? 0 };
};

const recallWish = (words: string): DemoWish | undefined => {
  const query = words.replace(/[.?!\s]+$/, '').trim();
  return query === '' ? undefined : { kind: 'recall', query };
};

const askWish = (words: string): DemoWish => {
  const text = words
    .trim()
    .replace(/^(?:about|for)\s+/i, '')
    .replace(/[.?!]+$/, '');
  return {
    kind: 'ask',
    question: text === '' ? 'What shall I do?' : `${text[0]?.toUpperCase()}${text.slice(1)}?`,
  };
};

const lookWish = (verb: string, words: string): DemoWish | undefined => {
  const path = PATH_LIKE.exec(words)?.[0] ?? (/\breadme\b/i.test(words) ? 'README.md' : undefined);
  if (/^(search|find|grep|look for)$/.test(verb)) return searchWish(words);
  if (verb.endsWith('files') || /\b(files|folders?|director(y|ies)|workspace|contents)\b/i.test(words)) {
    return { kind: 'list', path: path?.replace(/\/$/, '') ?? '.' };
  }
  if (path && verb !== 'list') return { kind: 'read', path };
  return verb === 'list' && path ? { kind: 'list', path: path.replace(/\/$/, '') } : undefined;
};

const searchWish = (words: string): DemoWish | undefined => {
  const text = /["'`“]([^"'`”]+)["'`”]/.exec(words)?.[1] ?? /\bfor\s+(?:the word\s+)?(\S+)/i.exec(words)?.[1];
  const place = /\bin\s+(\S+\/\S*|\.)/i.exec(words)?.[1]?.replace(/[/.,]+$/, '');
  return text ? { kind: 'search', text, path: place || '.' } : undefined;
};

const QUOTED = String.raw`["'\`“]([^"'\`”]+)["'\`”]`;
const REPLACEMENT = new RegExp(String.raw`\breplace\s+${QUOTED}\s+(?:with|by)\s+${QUOTED}`, 'i');
const IN_PATH = /^\s+in\s+(\S+)/i;

/**
 * Reads `edit a.md: replace "x" with "y"` or `replace "x" with "y" in a.md`. The length ends with the second
 * quotation.
 */
const editWish = (words: string): ReadWish | undefined => {
  const match = REPLACEMENT.exec(words);
  const [matched = '', old = '', replacement = ''] = match ?? [];
  if (!match || old === replacement) return undefined;
  const end = match.index + matched.length;
  const wordsAfterEdit = IN_PATH.exec(words.slice(end))?.[1] ?? '';
  const path = PATH_LIKE.exec(words.slice(0, match.index)) ?? PATH_LIKE.exec(wordsAfterEdit);
  if (!path) return undefined;
  return { wish: { kind: 'edit', path: path[0], old, new: replacement }, length: end };
};

/** Reads `fix the bug in src/calc.js`, up to a comma, a semicolon, `and` or `then`. */
const fixWish = (words: string): ReadWish | undefined => {
  const wordsOfFix = words.split(/,|;|\b(?:and|then)\b/i)[0] ?? '';
  const path = PATH_LIKE.exec(wordsOfFix)?.[0];
  return path === undefined ? undefined : { wish: { kind: 'fix', path }, length: wordsOfFix.length };
};

const writeWish = (words: string): DemoWish | undefined => {
  const lines = Number(/(\d[\d,]*)[\s-]+lines?\b/i.exec(words)?.[1]?.replaceAll(',', '') ?? 0);
  const path = PATH_LIKE.exec(words)?.[0] ?? (lines > MAX_WRITE_TO_FILE_LINES ? LONG_FILE : '');
  if (path === '' || path.endsWith('/')) return undefined;
  if (lines > MAX_WRITE_TO_FILE_LINES) {
    const operation = /^(overwrite|append)/i.exec(words)?.[0].toLowerCase() ?? 'create';
    return {
      kind: 'write_long',
      path,
      lines: Math.min(lines, MAX_LINES),
      operation: writeOperationSchema.parse(operation),
    };
  }
  const wordsAfterPath = words.slice(words.indexOf(path) + path.length);
  const match =
    /\b(?:with|containing|saying|that says)\b(?:\s+(?:the\s+)?(?:text|contents?|words?))?:?\s+(.+)/is.exec(
      wordsAfterPath,
    );
  return { kind: 'write', path, content: contentOf(match?.[1], path, lines) };
};

const contentOf = (captured: string | undefined, path: string, lines: number): string => {
  if (lines > 0) return demoLines(path, lines);
  const text = captured?.trim().replace(/^(["'`“])([^]*)["'`”]\.?$/, '$2');
  return text ? `${text}\n` : `# ${path}\n\nWritten by the demo model of Orion.\n`;
};

/** Returns the content of a generated file: numbered lines, so that a lost or doubled line shows. */
export const demoLines = (path: string, lines: number): string =>
  Array.from({ length: lines }, (_, i) => `Line ${i + 1} of ${lines} of ${path}\n`).join('');
