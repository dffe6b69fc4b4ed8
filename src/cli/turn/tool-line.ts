import { toolAction } from '../../contracts/tools/tool-name.ts';
import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { type Fields, fieldsOf } from '../../contracts/values/unchecked-value.ts';

/** A tool call and its outcome. `result` and `error` are absent if they are not known. */
export interface ToolView {
  /** Name in the event: `Tool_action` (`Tool.action` in events that were stored long ago), or `mcp__server__tool`. */
  readonly name: string;
  /** Raw JSON text of the call's arguments. */
  readonly args: string;
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

const SUBJECT_CHARACTERS = 80;
const REASON_CHARACTERS = 200;

/** Returns the subject of a call, such as `read_file src/calc.js` or `search_files "foo" in src`. */
export const toolSubject = ({ name, args }: Pick<ToolView, 'name' | 'args'>): string => {
  const action = toolAction(name);
  const fields = fieldsOf(parseJson(args));
  return safeInLine([action, subjectText(action, fields)].filter(Boolean).join(' '));
};

/**
 * Returns one line about a call that ended, such as `✓ write_to_file notes/a.md +12 −0` or `✗ search_files "foo" — not
 * found: src`.
 */
export const toolLine = (view: ToolView): string => {
  const { ok, error = '' } = view;
  const mark = ok ? '✓' : '✗';
  const reason = error === '' ? '' : `— ${truncate(oneLine(error), REASON_CHARACTERS)}`;
  const ending = ok ? effectOf(view) : reason;
  return safeInLine([mark, toolSubject(view), ending].filter(Boolean).join(' '));
};

const DETAIL_CHARACTERS = 400;
const DETAIL_LINES = 5;

/** Returns the arguments and the beginning of the result, indented, for a person who wants to see more. */
export const toolDetails = ({ args, result, error }: ToolView): readonly string[] => {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? error ?? '');
  const head = truncate(text, DETAIL_CHARACTERS).split('\n').slice(0, DETAIL_LINES);
  return [
    `← ${truncate(oneLine(args), DETAIL_CHARACTERS)}`,
    ...head.filter(Boolean).map((line) => `→ ${line}`),
  ].map((line) => `    ${safeInLine(line)}`);
};

const subjectText = (action: string, fields: Fields): string => {
  const { path, target_file: target, regex } = fields;
  if (action === 'search_files' && typeof regex === 'string') {
    const place = typeof path === 'string' && path !== '.' ? ` in ${path}` : '';
    return `${JSON.stringify(truncate(regex, SUBJECT_CHARACTERS))}${place}`;
  }
  const { command } = fields;
  if (action === 'run_command' && typeof command === 'string') {
    return JSON.stringify(truncate(oneLine(command), SUBJECT_CHARACTERS));
  }
  if (typeof path === 'string') return path;
  if (typeof target === 'string') return target;
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  const first = texts.map(oneLine).find((text) => text !== '');
  return first === undefined ? '' : JSON.stringify(truncate(first, SUBJECT_CHARACTERS));
};

/** Returns what a call has found or changed, or an empty text if its result does not say so. */
const effectOf = ({ name, args, result }: ToolView): string => {
  const argumentFields = fieldsOf(parseJson(args));
  const resultFields = fieldsOf(result);
  switch (toolAction(name)) {
    case 'read_file':
      return lineRangeText(argumentFields, resultFields);
    case 'write_to_file':
      if (typeof resultFields['lines'] !== 'number') return '';
      return resultFields['status'] === 'created'
        ? `+${resultFields['lines']} −0`
        : countOf(resultFields['lines'], 'line');
    case 'edit_file':
      return typeof resultFields['added'] === 'number'
        ? `+${resultFields['added']} −${String(resultFields['removed'])}`
        : '';
    case 'run_command':
      if (typeof resultFields['ended'] === 'string') return resultFields['ended'];
      return typeof resultFields['exit_code'] === 'number' ? `exit ${resultFields['exit_code']}` : '';
    case 'list_files':
      return Array.isArray(resultFields['entries']) ? countOf(resultFields['entries'].length, 'entry') : '';
    case 'search_files':
      return Array.isArray(resultFields['matches']) ? countOf(resultFields['matches'].length, 'match') : '';
    case 'search':
      return Array.isArray(resultFields['matches']) ? countOf(resultFields['matches'].length, 'place') : '';
    case 'list_code_definition_names':
      return Array.isArray(resultFields['files']) ? countOf(resultFields['files'].length, 'file') : '';
    default:
      return '';
  }
};

const lineRangeText = (argumentFields: Fields, resultFields: Fields): string => {
  const first = resultFields['start_line'] ?? argumentFields['start_line'];
  const last = resultFields['end_line'] ?? argumentFields['end_line'];
  return typeof first === 'number' && typeof last === 'number' ? `${first}–${last}` : '';
};

const PLURALS = {
  line: 'lines',
  entry: 'entries',
  match: 'matches',
  file: 'files',
  place: 'places',
} as const;
const countOf = (count: number, what: keyof typeof PLURALS): string =>
  `${count} ${count === 1 ? what : PLURALS[what]}`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const truncate = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
