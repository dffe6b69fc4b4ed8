/* Words for tool calls and for the states of a turn. All functions here are pure. */
import { toolAction } from '../../contracts/tools/tool-name.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { type Fields, fieldsOf } from '../../contracts/values/unchecked-value.ts';
import type { AnswerView } from './answer-view.ts';
import type { CallEntry } from './answer-entry.ts';

const SUBJECT_CHARACTERS = 120;
/** Names of the arguments that say what a call is about, the most telling one first. */
const SUBJECTS = ['path', 'target_file', 'command', 'regex', 'question', 'query'];

/**
 * Returns what a call is about, on one line: its path, its command or its first text. Returns an empty text while the
 * arguments are incomplete, or if they contain no text.
 */
export const callSubject = (argumentsText: string): string => {
  const fields = parseCallArguments(argumentsText);
  const named = SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string');
  const subject = named ?? Object.values(fields).find((value) => typeof value === 'string') ?? '';
  const line = subject.replaceAll(/\s+/g, ' ').trim();
  return line.length > SUBJECT_CHARACTERS ? `${line.slice(0, SUBJECT_CHARACTERS)}…` : line;
};

/** Returns the path that a call names. Returns undefined if it names none, or while the arguments are incomplete. */
export const callPath = (argumentsText: string): string | undefined => {
  const { path, target_file: target } = parseCallArguments(argumentsText);
  const named = path ?? target;
  return typeof named === 'string' ? named : undefined;
};

/** Returns the fields of a JSON object. Returns none if the text is incomplete or something else. */
export const parseCallArguments = (text: string): Fields => fieldsOf(parseJson(text));

/** Formats arguments for people: indents complete JSON, and returns any other text unchanged. */
export const readableArguments = (text: string): string => {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

/** Describes what the turn does now in a few words. Returns undefined once it has ended. */
export const activityWords = ({ entries, phase, phaseSeq, writing, end }: AnswerView): string | undefined => {
  if (end) return undefined;
  const last = entries.at(-1);
  if (entries.some((entry) => entry.kind === 'input' && entry.resolution === undefined)) {
    return 'Waits for you';
  }
  if (phase === 'tool') return runningWords(entries.findLast((entry) => entry.kind === 'call'));
  const written = entries.find((entry) => entry.kind === 'file' && entry.file.sessionId === writing);
  if (written?.kind === 'file') return `Writing ${written.file.target}`;
  if (last === undefined || last.seq <= phaseSeq) return 'Thinking';
  switch (last.kind) {
    case 'text':
      return 'Answering';
    case 'call':
      return `Prepares ${toolAction(last.name)}`;
    case 'file':
    case 'notice':
    case 'steer':
    case 'input':
      return 'Thinking';
    default:
      return last satisfies never;
  }
};

const runningWords = (call: CallEntry | undefined): string =>
  call
    ? ['Running', toolAction(call.name), callSubject(call.arguments)].filter(Boolean).join(' ')
    : 'Working';
