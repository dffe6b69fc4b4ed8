import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import type { RequestThread } from '../request-thread.ts';
import type { Definition, DefinitionRequest } from './definition.ts';
import { grammarFor } from './languages.ts';
import { readSource } from './source-files.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_FILES = 200;
/**
 * Largest size of the listed files, in bytes as JSON, so that the result stays below what the model may see. The first
 * file with definitions is listed even if it is larger.
 */
const MAX_SHOWN_BYTES = 24 * KIB;
/** Number of bytes of indentation, comma and line break that each entry has in the result. */
const ENTRY_BYTES = 12;
/** Time in milliseconds for parsing one file, which must not take the time of all others. */
const FILE_TIME_LIMIT_MS = 10_000;

/** The parts that a survey of definitions needs: workspace, thread, and the signal that ends it. */
export interface SurveyDeps {
  readonly workspace: Workspace;
  readonly projectId: string;
  readonly thread: Pick<RequestThread<DefinitionRequest, readonly Definition[]>, 'request'>;
  /** Aborted to end the survey. What was found until then counts. */
  readonly signal: AbortSignal;
}

/** One file of a survey, with the definitions that were found in it. */
export interface SurveyedFile {
  readonly path: string;
  /** Lines of the form `line: kind name`. */
  readonly definitions: readonly string[];
}

/** The result for one file. `skipped` means that the file has no part in the survey, for this reason. */
export type FileSurvey =
  | { readonly kind: 'surveyed'; readonly file: SurveyedFile }
  | { readonly kind: 'skipped'; readonly reason: string };

/** The definitions in the files of a folder that have been surveyed. */
export interface DefinitionSurvey {
  /** Files that define something, as far as they can be shown. */
  readonly files: readonly SurveyedFile[];
  /** Number of files that were looked at. */
  readonly examined: number;
  /** Number of these files that were skipped: too large, binary, gone, not readable, not parsed in time. */
  readonly skipped: number;
}

/**
 * Surveys one file after the other until `MAX_FILES` are examined, the list is long enough, or the signal is aborted.
 * Files that cannot be read or parsed in time are skipped. Rejects when the thread fails otherwise.
 */
export const surveyFiles = async (deps: SurveyDeps, paths: readonly string[]): Promise<DefinitionSurvey> => {
  const files: SurveyedFile[] = [];
  let bytes = 0;
  let examined = 0;
  let skipped = 0;
  for (const path of paths.slice(0, MAX_FILES)) {
    const survey = await surveyIfThere(deps, path);
    if (deps.signal.aborted) break;
    if (survey.kind === 'surveyed') {
      bytes += listedBytes(survey.file);
      if (bytes > MAX_SHOWN_BYTES && files.length > 0) break;
      if (survey.file.definitions.length > 0) files.push(survey.file);
    } else {
      skipped += 1;
    }
    examined += 1;
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), examined, skipped };
};

/**
 * Returns the definitions of one file, or why it was skipped. Rejects with WorkspaceError, or as the thread does.
 */
export const surveyFile = async (deps: SurveyDeps, path: string): Promise<FileSurvey> => {
  const grammar = grammarFor(path);
  if (grammar === undefined) return skipFile('not a kind of source file that is known');
  const source = await readSource(deps.workspace, deps.projectId, path);
  switch (source.kind) {
    case 'too_large':
      return skipFile('too large to be parsed');
    case 'binary':
      return skipFile('binary file');
    case 'text': {
      const definitions = await findInTime(deps, { grammar, text: source.text });
      if (definitions === undefined) return skipFile('could not be parsed in time');
      return { kind: 'surveyed', file: { path, definitions: definitions.map(definitionLine) } };
    }
    default:
      return source satisfies never;
  }
};

const skipFile = (reason: string): FileSurvey => ({ kind: 'skipped', reason });

/**
 * Surveys a file that was listed before. Skips a file that the workspace no longer opens, since it may be gone or
 * replaced by now.
 */
const surveyIfThere = async (deps: SurveyDeps, path: string): Promise<FileSurvey> => {
  try {
    return await surveyFile(deps, path);
  } catch (error) {
    if (error instanceof WorkspaceError) return skipFile(error.message);
    throw error;
  }
};

/** Finds the definitions of a file. Returns undefined when the time for the file, or for the whole survey, is up. */
const findInTime = async (
  { thread, signal }: SurveyDeps,
  request: DefinitionRequest,
): Promise<readonly Definition[] | undefined> => {
  const fileLimit = AbortSignal.timeout(FILE_TIME_LIMIT_MS);
  try {
    return await thread.request(request, AbortSignal.any([signal, fileLimit]));
  } catch (error) {
    if (fileLimit.aborted || signal.aborted) return undefined;
    throw error;
  }
};

const definitionLine = ({ line, kind, name }: Definition): string => `${line}: ${kind} ${name}`;

const listedBytes = ({ path, definitions }: SurveyedFile): number =>
  [path, ...definitions].reduce(
    (sum, text) => sum + Buffer.byteLength(JSON.stringify(text)) + ENTRY_BYTES,
    0,
  );
