import type { Directory } from '../../files/workspace/directory.ts';
import { readRulesFor } from '../../files/workspace/gitignore-files.ts';
import { ListableFiles } from '../../files/workspace/listable-files.ts';
import type { OpenFile } from '../../files/workspace/open-file.ts';
import { isGitInternal } from '../../files/workspace/protected-files.ts';
import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { findCandidates, type FileSearch } from './candidates.ts';
import { type MatchingLine, readMatchingLines } from './matching-lines.ts';
import { MAX_FILE_BYTES, patternMessage } from './ripgrep-arguments.ts';
import type { RipgrepEnd } from './ripgrep.ts';

/** Share of the time that finding the files may take. The rest is for reading their lines. */
const FINDING_SHARE = 0.75;
/** Largest number of files that one child searches, since it inherits a handle of each. */
const FILES_PER_RUN = 64;

/** A search in the workspace of a project. */
export interface WorkspaceSearch extends FileSearch {
  readonly projectId: string;
  /** A directory or a file. */
  readonly path: string;
  readonly includesIgnored: boolean;
  /** Time in milliseconds for the whole search. What was found until then is handed over. */
  readonly timeLimitMs: number;
}

/**
 * The end of a search. `ended` means that everything was searched. `stopped` means that `take` wanted no more, that the
 * time was up or the signal aborted, or that more files matched than one search finds. `fileCount` is the number of
 * files that may hold a match.
 */
export type SearchEnd =
  | { readonly kind: 'ended' | 'stopped'; readonly fileCount: number }
  /** ripgrep does not accept the regex or the file pattern. */
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Searches one file, or the files below a directory that `ListableFiles` opens. Hands matching lines to `take`, sorted
 * by path and line, until `take` returns false. Rejects with WorkspaceError about the path, or as `runRipgrep` does.
 */
export const searchWorkspace = async (
  workspace: Workspace,
  request: WorkspaceSearch,
  take: (match: MatchingLine) => boolean,
): Promise<SearchEnd> => {
  const search = withTimeLimit(request, request.timeLimitMs);
  try {
    return await workspace.withDirectory(search.projectId, search.path, (_directory, trail, root) =>
      searchDirectory(workspace, search, { root, trail }, take),
    );
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'not_a_directory') throw error;
  }
  return workspace.withFile(search.projectId, search.path, (file) => searchFile(search, file, take));
};

const searchDirectory = async (
  workspace: Workspace,
  search: WorkspaceSearch,
  { root, trail }: { readonly root: Directory; readonly trail: readonly string[] },
  take: (match: MatchingLine) => boolean,
): Promise<SearchEnd> => {
  refuseGitInternal(trail, search.path);
  const rules = search.includesIgnored ? undefined : await readRulesFor(root, trail);
  const listed = new ListableFiles({ root, trail, rules });
  const candidates = await findCandidates(
    withTimeLimit(search, FINDING_SHARE * search.timeLimitMs),
    { root, trail, rules },
    (path) => listed.mayBeOpened(path),
  );
  if (candidates.end.kind === 'refused') return refusedPattern(candidates.end);
  const read = await readCandidates(search, listed, candidates.paths, take);
  const isWhole = candidates.end.kind === 'ended' && read === 'ended';
  return { kind: isWhole ? 'ended' : 'stopped', fileCount: candidates.paths.length };
};

/** Opens the candidates through the jail, `FILES_PER_RUN` at a time, and reads their lines until enough is taken. */
const readCandidates = async (
  search: WorkspaceSearch,
  listed: ListableFiles,
  paths: readonly string[],
  take: (match: MatchingLine) => boolean,
): Promise<'ended' | 'stopped'> => {
  for (let next = 0; next < paths.length; next += FILES_PER_RUN) {
    if (search.signal.aborted) return 'stopped';
    const files = await openAll(listed, paths.slice(next, next + FILES_PER_RUN));
    try {
      const end = files.length === 0 ? undefined : await readMatchingLines(search, files, take);
      if (end?.kind === 'stopped') return 'stopped';
    } finally {
      await Promise.all(files.map(({ handle }) => handle.close()));
    }
  }
  return 'ended';
};

const withTimeLimit = (search: WorkspaceSearch, ms: number): WorkspaceSearch => ({
  ...search,
  signal: AbortSignal.any([search.signal, AbortSignal.timeout(ms)]),
});

const openAll = async (listed: ListableFiles, paths: readonly string[]): Promise<OpenFile[]> => {
  const opened = await Promise.all(paths.map((path) => listed.open(path)));
  return opened.filter((file) => file !== undefined);
};

/** Searches one file. Rules do not hide it, since it was asked for by name, just as a named directory is listed. */
const searchFile = async (
  search: WorkspaceSearch,
  file: OpenFile,
  take: (match: MatchingLine) => boolean,
): Promise<SearchEnd> => {
  refuseGitInternal(file.trail, search.path);
  if (file.stats.size > MAX_FILE_BYTES) {
    throw new WorkspaceError('not_a_file', search.path, `larger than ${MAX_FILE_BYTES} bytes, not searched`);
  }
  const end = await readMatchingLines(search, [file], take);
  return end.kind === 'refused' ? refusedPattern(end) : { kind: end.kind, fileCount: 1 };
};

const refusedPattern = ({ message }: RipgrepEnd & { kind: 'refused' }): SearchEnd => ({
  kind: 'refused',
  message: patternMessage(message),
});

const refuseGitInternal = (trail: readonly string[], path: string): void => {
  if (trail.some(isGitInternal)) {
    throw new WorkspaceError('protected', path, 'inside .git, which tools do not search');
  }
};
