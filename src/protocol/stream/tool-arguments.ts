import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { isRecord, isShallow } from '../../contracts/values/unchecked-value.ts';

/** The parsed arguments of a tool call: an object of JSON values. */
export type JsonObject = Record<string, unknown>;

/** The most levels of nesting in arguments. Deeper arguments are malformed, since no tool needs them. */
const MAX_DEPTH = 100;

/**
 * Reads the arguments of a finished call (docs/protocol.md "Complete call"): a JSON object by strict `JSON.parse`,
 * where a blank text counts as `{}`. Returns undefined for anything else, because repaired JSON is never executed.
 */
export const parseArguments = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Reports whether a call looks complete before its stream has ended: it has a name, and arguments that parse as an
 * object. This is no proof, since some providers send `{}` first. A call without arguments so far never looks complete,
 * because deltas of several calls may interleave.
 */
export const looksComplete = ({ function: { name, arguments: text } }: ToolCall): boolean =>
  name.trim() !== '' && text.trim() !== '' && parseArguments(text) !== undefined;
