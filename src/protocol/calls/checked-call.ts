import type { ToolCall, ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import { callSignature, normalisedArguments } from './call-signature.ts';
import type { ModelAnswer } from '../ports/model-port.ts';
import { type JsonObject, looksComplete, parseArguments } from '../stream/tool-arguments.ts';

/** A complete call: the tool that it is for, and its arguments. */
export interface CheckedCall {
  readonly call: ToolCall;
  readonly declaration: ToolDeclaration;
  readonly signature: string;
  /** The arguments, with defaults filled in and paths in one spelling. */
  readonly arguments: JsonObject;
}

/** What calls are checked against: the known tools, and the project, which is a part of every signature. */
export interface CallScope {
  describe(name: string): ToolDeclaration | undefined;
  readonly projectId: string;
}

/**
 * Returns the calls of an answer that are proven to be finished, though perhaps malformed. The end `length` proves
 * nothing, because it may have cut the last call. An earlier call is then finished only if it looks complete. If an
 * answer has too many calls, none of them counts.
 */
export const completeCalls = ({ calls, end, hasTooManyCalls }: ModelAnswer): readonly ToolCall[] => {
  if (hasTooManyCalls) return [];
  return end === 'length' ? calls.slice(0, -1).filter(looksComplete) : calls;
};

/** Returns the calls of an answer, other than the one that ran, that look complete. */
export const otherCompleteCalls = ({ calls }: ModelAnswer, ran: ToolCall): readonly ToolCall[] =>
  calls.filter((call) => call !== ran && looksComplete(call));

/** Returns the call if it is complete. Returns undefined if it is malformed (docs/protocol.md "Malformed call"). */
export const checkCall = (call: ToolCall, scope: CallScope): CheckedCall | undefined => {
  const { name, arguments: text } = call.function;
  const args = name.trim() === '' ? undefined : parseArguments(text);
  if (!args) return undefined;
  // The declaration of a host may leave out fields that do not apply to its tool.
  const declaration = { ...undeclaredTool(name), ...scope.describe(name) };
  const signature = callSignature(declaration, args, scope.projectId);
  return { call, declaration, signature, arguments: normalisedArguments(args, declaration) };
};

/**
 * Returns the declaration of a tool that nobody declared. It counts as a write, which is the cautious choice both for
 * plan mode and for repeats.
 */
const undeclaredTool = (name: string): ToolDeclaration => ({
  name,
  effect: 'write',
  pathArguments: [],
  volatileFields: [],
  defaults: {},
});
