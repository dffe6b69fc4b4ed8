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

/** A tool that nobody declared counts as a write: the cautious side of both rules. */
const undeclaredTool = (name: string): ToolDeclaration => ({
  name,
  effect: 'write',
  pathArguments: [],
  volatileFields: [],
  defaults: {},
});

/** What calls are checked against: the known tools, and the project, whose id callers may give as an argument. */
export interface CallScope {
  describe(name: string): ToolDeclaration | undefined;
  readonly projectId: string;
}

/**
 * Returns the calls whose arguments are proven finished. `length` proves nothing: the last call is open then, and an
 * earlier one is finished only if its arguments show it. Of too many calls none counts.
 */
export const completeCalls = ({ calls, end, hasTooManyCalls }: ModelAnswer): readonly ToolCall[] => {
  if (hasTooManyCalls) return [];
  return end === 'length' ? calls.slice(0, -1).filter(looksComplete) : calls;
};

/** Returns the calls of an answer beside the one that ran, as far as their arguments are an object. */
export const otherCompleteCalls = ({ calls }: ModelAnswer, ran: ToolCall): readonly ToolCall[] =>
  calls.filter((call) => call !== ran && looksComplete(call));

/** Returns the call, if it is complete, and undefined when it is malformed (docs/protocol.md "Malformed call"). */
export const checkCall = (call: ToolCall, scope: CallScope): CheckedCall | undefined => {
  const { name, arguments: text } = call.function;
  const args = name.trim() === '' ? undefined : parseArguments(text);
  if (!args) return undefined;
  // A declaration may leave out fields that do not apply to it.
  const declaration = { ...undeclaredTool(name), ...scope.describe(name) };
  const signature = callSignature(declaration, args, scope.projectId);
  return { call, declaration, signature, arguments: normalisedArguments(args, declaration) };
};
