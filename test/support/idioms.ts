/** The pattern of an idiom that readers stumble over, and what to say instead. */
export type Idiom = readonly [idiom: RegExp, instead: string];

/** Idioms that comments, pages and titles of tests do not use. */
export const IDIOMS: readonly Idiom[] = [
  [/\balone\b/i, 'only'],
  [/\bany more\b/i, 'no longer'],
  [/\ball the same\b/i, 'nevertheless'],
  [/\bof (?:before|late|later(?! \w)|then)\b/i, 'earlier, later, recently, or from that time'],
  [/\bbut for\b/i, 'except'],
  [/\bfor want of\b/i, 'because … is missing'],
  [/, else(?:[.:;]|$)/, 'otherwise'],
  [/\bis due\b/i, 'what must come, and when'],
  [/\bcomes? to nothing\b/i, 'what fails, or has no effect'],
  [/\bwhere there (?:is|are) none\b/i, '“if there is none”'],
  [/^Of\b|`\w+`: of\b/, 'what it is, such as “the name of”'],
  [
    /(?:^|\b(?:at least|at most|by|first|for|only) )so (?:long|many)\b/i,
    'which number, such as “at most `count`”',
  ],
  [
    /(?:^|[.:;] )Who (?:asks|calls|has|knows|reads|sends|waits|wants)\b/,
    'a subject, such as “a caller that asks”',
  ],
  [/\b(?:by|for|of|to) who\b/i, 'a noun before “who”'],
];

/** Returns what to say instead of each of the idioms that a text contains. */
export const idiomsIn = (text: string, idioms: readonly Idiom[] = IDIOMS): readonly string[] =>
  idioms.flatMap(([idiom, instead]) => {
    const found = idiom.exec(text)?.[0];
    return found === undefined ? [] : [`“${found}”: say ${instead}`];
  });
