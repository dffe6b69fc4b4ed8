import { z } from 'zod';
import { limitConcurrency } from '../../base/timing/concurrency-limit.ts';
import { builtInTool, SEARCH_LIMIT_MS } from '../built-in-tool.ts';
import { RequestThread } from '../request-thread.ts';
import type { Definition, DefinitionRequest } from '../definitions/definition.ts';
import { KNOWN_ENDINGS } from '../definitions/languages.ts';
import { type SourceFiles, listSourceFiles } from '../definitions/source-files.ts';
import { type DefinitionSurvey, surveyFile, surveyFiles, type SurveyDeps } from '../definitions/survey.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';

/**
 * Largest number of calls that run at the same time in this process. Parsing keeps a processor busy, and more calls
 * would take time from the answers that stream.
 */
const MAX_CALLS_AT_ONCE = 2;

const PARSER = new URL('../definitions/definition-worker.ts', import.meta.url);

const inputSchema = z.strictObject({
  path: z.string().describe('Source file, or directory with source files, relative to the workspace root'),
});

/**
 * Creates `FileSystemTool_list_code_definition_names`, which lists what source files define at their top level and in
 * their types, as `line: kind name`.
 */
export const createListCodeDefinitionNamesTool = (
  workspace: Workspace,
  { timeLimitMs = SEARCH_LIMIT_MS }: { readonly timeLimitMs?: number } = {},
): Tool<z.infer<typeof inputSchema>> => {
  const withSlot = limitConcurrency(MAX_CALLS_AT_ONCE);
  return {
    ...builtInTool('FileSystemTool_list_code_definition_names'),
    description:
      'List the classes, functions, methods, types and constants that a source file, or the source files below a ' +
      `directory, define. Known: ${KNOWN_ENDINGS.map((ending) => `.${ending}`).join(' ')}`,
    input: inputSchema,
    execute: ({ path }, { projectId, signal }) =>
      withSlot(async () => {
        signal.throwIfAborted();
        const thread = new RequestThread<DefinitionRequest, readonly Definition[]>(PARSER);
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
        try {
          const outcome = await listDefinitions({ workspace, projectId, thread, signal: limited }, path);
          signal.throwIfAborted();
          return outcome;
        } finally {
          await thread.stop();
        }
      }),
  };
};

const listDefinitions = async (surveyor: SurveyDeps, path: string): Promise<ToolOutcome> => {
  const { workspace, projectId, signal } = surveyor;
  const sources = await listSourceFiles(workspace, projectId, path, signal);
  if (sources === undefined) return surveyOneFile(surveyor, path);
  const survey = await surveyFiles(surveyor, sources.paths);
  const note = noteOf(sources, survey);
  return { ok: true, result: { path, files: survey.files, ...(note !== '' && { note }) } };
};

const surveyOneFile = async (surveyor: SurveyDeps, path: string): Promise<ToolOutcome> => {
  const survey = await surveyFile(surveyor, path);
  return survey.kind === 'surveyed'
    ? { ok: true, result: { path, files: [survey.file] } }
    : { ok: false, error: `${survey.reason}: ${path}` };
};

const noteOf = ({ paths, isTruncated }: SourceFiles, { examined, skipped }: DefinitionSurvey): string => {
  const notes: string[] = [];
  if (isTruncated || examined < paths.length) {
    notes.push(
      `… truncated, ${examined} of ${isTruncated ? 'more than ' : ''}${paths.length} source files looked at; ask for a sub-directory or a file`,
    );
  }
  if (skipped > 0) notes.push(`${skipped} files left out: too large, binary or not readable`);
  return notes.join('; ');
};
