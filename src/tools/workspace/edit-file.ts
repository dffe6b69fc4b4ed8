import { z } from 'zod';
import { createYieldToLoop } from '../../base/timing/yield-to-loop.ts';
import { replaceFile } from '../../files/workspace/replace-file.ts';
import {
  type EditableFile,
  MAX_EDITABLE_BYTES,
  tooLargeToEditError,
  withEditableFile,
} from '../../files/workspace/editable-file.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import { builtInTool } from '../built-in-tool.ts';
import { applyEdits } from '../edit/apply-edits.ts';
import { editDiff, type EditDiff } from '../edit/edit-diff.ts';
import { type EditProblem, problemText } from '../edit/edit-problem.ts';
import { lineStartsOf } from '../edit/line-starts.ts';
import { findNearestPlace } from '../edit/nearest-place.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_EDITS = 50;
/** Largest size of `old` and `new` of all edits together, in bytes. Models cut longer texts inside JSON arguments. */
const MAX_BYTES = 32 * KIB;
const MAX_PLACES = 1_000;
/** Largest number of edits for which a refusal shows the nearest place. */
const SHOWN_PLACES = 3;

const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), {
  message: 'expected valid Unicode text (no NUL, no lone surrogates)',
});

const editSchema = z
  .strictObject({
    old: text
      .min(1)
      .describe(
        'Text to replace, exactly as the file has it, with as many lines around it as make it unique',
      ),
    new: text.describe('Text to put in its place'),
    expect: z
      .number()
      .int()
      .min(1)
      .max(MAX_PLACES)
      .default(1)
      .describe('In how many places the text stands; all of them are replaced'),
  })
  .refine((edit) => edit.old !== edit.new, { path: ['new'], message: 'expected another text than old' });

const inputSchema = z.strictObject({
  path: z.string().describe('File path relative to the workspace root'),
  edits: z
    .array(editSchema)
    .min(1)
    .max(MAX_EDITS)
    .refine((edits) => bytesOf(edits) <= MAX_BYTES, {
      message: `expected at most ${MAX_BYTES} bytes of old and new together`,
    })
    .describe('All of them are made, or none; each is looked for in the file as it was before the call'),
});
type EditFileInput = z.infer<typeof inputSchema>;

/** The planned change of a file. */
interface PlannedEdit extends EditDiff {
  readonly ok: true;
  readonly after: Buffer;
}

type RefusedEdit = ToolOutcome & { readonly ok: false };

/** Creates `FileSystemTool_edit_file`, which replaces exact texts of a file, all or none, in one step. */
export const createEditFileTool = (workspace: Workspace): Tool<EditFileInput> => ({
  ...builtInTool('FileSystemTool_edit_file'),
  description:
    'Change a text file of the workspace by replacing exact pieces of its text; the rest stays byte by byte. ' +
    'Answers with a unified diff. Better than writing a file anew when a part of it changes.',
  input: inputSchema,
  execute: (input, { projectId, signal, fence }) =>
    withEditableFile(workspace, projectId, input.path, async (file, target) => {
      const { path, edits } = input;
      const planned = await planEdit(file, input);
      if (!planned.ok) return planned;
      const { after, diff, added, removed } = planned;
      await replaceFile(target, after, { fence, signal, expectedSha256: file.sha256 });
      const lines = added === undefined ? {} : { added, removed };
      return { ok: true, result: { path, edits: edits.length, bytes: after.length, ...lines, diff } };
    }),
  preview: (input, { projectId }) =>
    withEditableFile(workspace, projectId, input.path, async (file) => {
      const planned = await planEdit(file, input);
      if (!planned.ok) return planned;
      const { content, sha256 } = file;
      const before = { sha256, bytes: content.length };
      return { ok: true, target: input.path, before, after: planned.after, diff: planned.diff };
    }),
  abandon: ({ path }, { projectId, fence }) => workspace.abandonWrites(projectId, path, fence),
});

const bytesOf = (edits: readonly { readonly old: string; readonly new: string }[]): number =>
  edits.reduce((sum, edit) => sum + Buffer.byteLength(edit.old) + Buffer.byteLength(edit.new), 0);

const planEdit = async (
  file: EditableFile,
  { path, edits }: EditFileInput,
): Promise<PlannedEdit | RefusedEdit> => {
  const { content } = file;
  const applied = await applyEdits(content, edits);
  if (!applied.ok) return explainRefusal(file, { path, edits }, applied.problems);
  const { after, replacements } = applied;
  if (after.length > MAX_EDITABLE_BYTES) throw tooLargeToEditError(path, after.length);
  return { ok: true, after, ...editDiff(path, { before: content, after, replacements }) };
};

/**
 * Returns the refusal for these problems. For the first texts that were not found it shows the most similar lines of
 * the file, so that the text can be copied from there.
 */
const explainRefusal = async (
  { content }: EditableFile,
  { path, edits }: EditFileInput,
  problems: readonly EditProblem[],
): Promise<RefusedEdit> => {
  const missing = problems.flatMap((problem) => (problem.kind === 'not_found' ? [problem.edit] : []));
  const nearest: object[] = [];
  const searched = { content, starts: lineStartsOf(content), yieldToLoop: createYieldToLoop() };
  for (const edit of missing.slice(0, SHOWN_PLACES)) {
    await searched.yieldToLoop();
    const place = await findNearestPlace(searched, Buffer.from(edits[edit]?.old ?? ''));
    if (place === undefined) {
      nearest.push({ edit, note: 'nothing in the file is like it' });
    } else {
      nearest.push({
        edit,
        ...(place.differsOnlyInWhiteSpace && { note: 'only white space differs' }),
        lines: place.lines,
      });
    }
  }
  return {
    ok: false,
    error: problems.map((problem) => problemText(problem, path)).join('; '),
    ...(nearest.length > 0 && { details: { nearest } }),
  };
};
