/** The pages whose commands `test/e2e/documented-commands.test.ts` types, in this order, on one stack. */
export const TYPED_PAGES = [
  'README.md',
  'docs/http-api.md',
  'docs/cli.md',
  'docs/inputs.md',
  'docs/temporal.md',
  'docs/write-sessions.md',
];
/** The page whose sections have tests of their own (`test/examples`). */
export const EXAMPLES_PAGE = 'examples/README.md';

/** One fenced `sh` block of a page, with the output that the page shows behind it. */
export interface CommandBlock {
  /** The line of the page on which the first command is. */
  readonly line: number;
  readonly script: string;
  /** The lines of the `text` block that follows directly; empty when the page shows no output. */
  readonly shown: readonly string[];
  /** Why the block is not run, from a comment `<!-- not run: … -->` directly above it. */
  readonly notRun: string | undefined;
}

interface Fence {
  readonly language: string;
  /** The index of the opening line. */
  readonly from: number;
  readonly to: number;
  readonly body: readonly string[];
}

const fencesOf = (lines: readonly string[]): Fence[] => {
  const fences: Fence[] = [];
  let from: number | undefined;
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('```')) continue;
    if (from === undefined) {
      from = index;
    } else {
      const language = lines[from]?.slice(3).trim() ?? '';
      fences.push({ language, from, to: index, body: lines.slice(from + 1, index) });
      from = undefined;
    }
  }
  return fences;
};

/** Returns the nearest line above `index` that is not blank. */
const above = (lines: readonly string[], index: number): string =>
  lines.slice(0, index).findLast((line) => line.trim() !== '') ?? '';

/** Returns everything that a page tells its reader to type, in order. */
export const commandBlocks = (page: string): CommandBlock[] => {
  const lines = page.split('\n');
  const fences = fencesOf(lines);
  return fences.flatMap((fence, index) => {
    if (fence.language !== 'sh') return [];
    const next = fences[index + 1];
    const between = next === undefined ? ['-'] : lines.slice(fence.to + 1, next.from);
    const follows = next?.language === 'text' && between.every((line) => line.trim() === '');
    return [
      {
        line: fence.from + 2,
        script: fence.body.join('\n'),
        shown: follows ? next.body : [],
        notRun: /^<!-- not run: (.+) -->$/.exec(above(lines, fence.from))?.[1],
      },
    ];
  });
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns the first shown line that the output does not have, in order; undefined when it has all. `…` in a line stands
 * for any characters, and a line of only `…` for any lines.
 */
export const missingLine = (shown: readonly string[], output: string): string | undefined => {
  let rest = output;
  for (const line of shown.filter((text) => text.trim() !== '' && text.trim() !== '…')) {
    const pattern = new RegExp(line.trim().split('…').map(escaped).join('.*'));
    const found = pattern.exec(rest);
    if (!found) return line;
    rest = rest.slice(found.index + found[0].length);
  }
  return undefined;
};
