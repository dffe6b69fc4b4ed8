import { z } from 'zod';
import { builtInTool, SEARCH_LIMIT_MS } from '../built-in-tool.ts';
import type { MatchingLine } from '../search/matching-lines.ts';
import { findRipgrep } from '../search/ripgrep.ts';
import { type SearchEnd, searchWorkspace } from '../search/search-workspace.ts';
import type { Tool } from '../tool.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_MATCHES = 300;
/** Largest size of all lines, in bytes as JSON. The list then stays below what the model may see. */
const MAX_SHOWN_BYTES = 26 * KIB;
/** Number of bytes that surround each line in the result: indentation, comma and line break. */
const ENTRY_BYTES = 8;

const argument = (name: string) =>
  z
    .string()
    .min(1)
    .max(2_000)
    .refine((text) => !text.includes('\0'), { message: `expected ${name} without NUL` });

const inputSchema = z.strictObject({
  path: z.string().describe('Directory (searched with all below it) or file, relative to the workspace root'),
  regex: argument('a regex').describe(
    'Regular expression in Rust syntax, matched line by line: no look-around, no back-references; (?i) ignores case',
  ),
  file_pattern: argument('a glob')
    .optional()
    .describe('Glob of the files to search, such as *.ts or src/**/*.{js,jsx}; !*.test.ts leaves files out'),
  no_ignore: z.boolean().default(false).describe('Search what .gitignore files and the usual defaults hide'),
});

export interface SearchFilesOptions {
  /** Finds the ripgrep binary. */
  readonly program?: () => Promise<string>;
  readonly timeLimitMs?: number;
}

/**
 * Creates `FileSystemTool_search_files`, which finds lines that match a regex, as `path:line:text`, sorted by path and
 * line.
 */
export const createSearchFilesTool = (
  workspace: Workspace,
  { program = findRipgrep, timeLimitMs = SEARCH_LIMIT_MS }: SearchFilesOptions = {},
): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool('FileSystemTool_search_files'),
  description:
    'Search the text files of the workspace for a regular expression; answers with path:line:text. ' +
    'Binary files, .git and files that may hold secrets are not searched.',
  input: inputSchema,
  async execute({ path, regex, file_pattern, no_ignore }, { projectId, signal }) {
    const search = {
      program: await program(),
      signal,
      timeLimitMs,
      projectId,
      path,
      regex,
      filePattern: file_pattern,
      includesIgnored: no_ignore,
    };
    const foundLines = new FoundLines();
    const end = await searchWorkspace(workspace, search, (match) => foundLines.add(match));
    signal.throwIfAborted();
    if (end.kind === 'refused') return { ok: false, error: end.message };
    const note = noteOf(foundLines, end, timeLimitMs);
    return { ok: true, result: { path, matches: foundLines.lines, ...(note !== undefined && { note }) } };
  },
});

/** Collects lines until the model has enough of them. */
class FoundLines {
  readonly lines: string[] = [];
  #bytes = 0;
  #lastPath = '';
  /** Number of files that the lines are from. */
  fileCount = 0;
  /** True when there is more than is shown. */
  isFull = false;

  /** Adds a line. Returns false when it did not fit, after which no more is wanted. */
  add({ path, line, text }: MatchingLine): boolean {
    const shownLine = `${path}:${line}:${text}`;
    this.#bytes += Buffer.byteLength(JSON.stringify(shownLine)) + ENTRY_BYTES;
    this.isFull = this.lines.length >= MAX_MATCHES || this.#bytes > MAX_SHOWN_BYTES;
    if (this.isFull) return false;
    this.lines.push(shownLine);
    if (path !== this.#lastPath) this.fileCount += 1;
    this.#lastPath = path;
    return true;
  }
}

const noteOf = (
  { lines, fileCount, isFull }: FoundLines,
  end: SearchEnd & { readonly fileCount: number },
  timeLimitMs: number,
): string | undefined => {
  if (isFull) {
    return `… truncated, ${lines.length} lines of ${fileCount} files shown, ${end.fileCount} files match; narrow path, regex or file_pattern`;
  }
  return end.kind === 'ended'
    ? undefined
    : `… stopped after ${timeLimitMs / 1000} s, not everything was searched; narrow path or file_pattern`;
};
