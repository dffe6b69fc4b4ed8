import { z } from 'zod';
import { withoutLineNumbers } from '../base/text/line-numbers.ts';
import type { DemoToolResult } from './conversation-state.ts';

const MAX_NAMES = 12;
const MAX_QUOTED_LINES = 6;
const MAX_OUTPUT_LINES = 12;

const listSchema = z.object({ path: z.string(), entries: z.array(z.string()) });
const readSchema = z.object({ path: z.string(), content: z.string(), total_lines: z.number().optional() });
const writeSchema = z.object({ path: z.string(), status: z.string().optional(), bytes: z.number() });
const editSchema = z.object({ path: z.string(), diff: z.string() });
const runSchema = z.object({ exit_code: z.number().nullable(), output: z.string() });
const answerSchema = z.object({ answer: z.string() });
const recallSchema = z.object({
  matches: z.array(z.object({ at: z.string(), place: z.string(), text: z.string() })).min(1),
});
const searchSchema = z.object({ matches: z.array(z.unknown()) });

/**
 * Describes the result of one tool call in a sentence or two. `changedLater` has the paths of files that the turn has
 * changed after this call; what was read of them before is not quoted.
 */
export const reportOf = (
  { tool, ok, result, error }: DemoToolResult,
  changedLater: readonly string[],
): string => {
  if (!ok) return `The call of ${tool} failed: ${error}`;
  const parsedAnswer = answerSchema.safeParse(result);
  if (parsedAnswer.success) return `You answered: ${excerpt(parsedAnswer.data.answer)}`;
  const run = runSchema.safeParse(result);
  if (run.success) return runReport(run.data);
  const list = listSchema.safeParse(result);
  if (list.success) return listReport(list.data.path, list.data.entries);
  const read = readSchema.safeParse(result);
  if (read.success) return readReport(read.data, changedLater.includes(read.data.path));
  // `searchSchema` accepts the results of a recall as well, so it is tried later.
  const recall = recallSchema.safeParse(result);
  if (recall.success) return recallReport(recall.data);
  const search = searchSchema.safeParse(result);
  if (search.success) return searchReport(search.data.matches);
  const edit = editSchema.safeParse(result);
  if (edit.success) return `I edited ${edit.data.path}:\n\n${fenced(edit.data.diff)}`;
  const write = writeSchema.safeParse(result);
  if (write.success) return `I wrote ${write.data.path} (${write.data.bytes} bytes).`;
  return `${tool} answered: ${excerpt(typeof result === 'string' ? result : JSON.stringify(result ?? null))}`;
};

/** Returns the path of the file that a call has changed, unless the call changed none or failed. */
export const changedPathOf = ({ ok, result }: DemoToolResult): string | undefined => {
  const change = z.union([editSchema, writeSchema]).safeParse(result);
  return ok && change.success ? change.data.path : undefined;
};

const runReport = ({ exit_code: code, output }: z.infer<typeof runSchema>): string => {
  const end = code === null ? 'The command was ended' : `The command ended with ${code}`;
  const lines = output.trimEnd().split('\n').slice(-MAX_OUTPUT_LINES).join('\n');
  return lines === '' ? `${end}.` : `${end}:\n\n${fenced(lines, '')}`;
};

/** Returns a Markdown code block, whose fence is longer than any in the text. */
const fenced = (text: string, language = 'diff'): string => {
  const ticks = text.match(/`+/g)?.map(({ length }) => length) ?? [];
  const fence = '`'.repeat(Math.max(3, ...ticks.map((length) => length + 1)));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
};

const listReport = (path: string, entries: readonly string[]): string => {
  const place = path === '.' ? 'The workspace' : path;
  if (entries.length === 0) return `${place} is empty.`;
  const more = entries.length > MAX_NAMES ? ` and ${entries.length - MAX_NAMES} more` : '';
  const noun = entries.length === 1 ? 'entry' : 'entries';
  return `${place} has ${entries.length} ${noun}: ${entries.slice(0, MAX_NAMES).join(', ')}${more}.`;
};

const readReport = (
  { path, content, total_lines: total }: z.infer<typeof readSchema>,
  isChangedLater: boolean,
): string => {
  if (isChangedLater) return `I read ${path} before I changed it.`;
  const lines = withoutLineNumbers(content).split('\n');
  const count = total ?? lines.length;
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start < 0) return `${path} is empty.`;
  const quoted = lines.slice(start, start + MAX_QUOTED_LINES).map(excerpt);
  const head = `${path} has ${count} ${count === 1 ? 'line' : 'lines'}. It begins:`;
  return `${head}\n\n${fenced(quoted.join('\n'), '')}`;
};

const searchReport = (matches: readonly unknown[]): string => {
  if (matches.length === 0) return 'The search found nothing.';
  const shown = matches.slice(0, MAX_QUOTED_LINES).map((match) => `- ${excerpt(matchText(match))}`);
  return `The search found ${matches.length} ${matches.length === 1 ? 'match' : 'matches'}:\n\n${shown.join('\n')}`;
};

const recallReport = ({ matches }: z.infer<typeof recallSchema>): string => {
  const shown = matches
    .slice(0, MAX_QUOTED_LINES)
    .map(({ at, place, text }) => `- ${at}, ${place}: ${excerpt(text.replaceAll(/\s+/g, ' '))}`);
  return `Earlier in this conversation:\n\n${shown.join('\n')}`;
};

const matchSchema = z.object({ path: z.string(), line: z.number().optional(), text: z.string().optional() });

const matchText = (match: unknown): string => {
  const known = matchSchema.safeParse(match);
  if (!known.success) return typeof match === 'string' ? match : JSON.stringify(match);
  const { path, line, text } = known.data;
  return [path, line, text?.trim()].filter((part) => part !== undefined).join(':');
};

const excerpt = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
