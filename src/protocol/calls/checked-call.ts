import { describeBuiltInTool } from '../../contracts/built-in-tools.ts';
import type { Mode, ToolCall, ToolDeclaration } from '../../contracts/tool-call.ts';
import { callSignature } from './call-signature.ts';
import type { ModelAnswer, ToolExecutor } from '../turn/ports.ts';
import { looksComplete, parseArguments } from './tool-arguments.ts';

/** A complete call: whom it asks, and for what. */
export interface CheckedCall {
  readonly call: ToolCall;
  readonly declaration: ToolDeclaration;
  readonly signature: string;
}

/** A tool that nobody declared counts as a write: the cautious side of both rules. */
const undeclared = (name: string): ToolDeclaration => ({
  name,
  effect: 'write',
  pathArguments: [],
  volatileFields: [],
  defaults: {},
});

/** Executors without `describe` run the built-in tools. A declaration may leave out what it has none of. */
const describe = (tools: ToolExecutor, name: string): ToolDeclaration => {
  const declared = tools.describe ? tools.describe(name) : describeBuiltInTool(name);
  return { ...undeclared(name), ...declared };
};

/**
 * The calls whose arguments are proven finished. `length` proves nothing: the last call is open then, and an
 * earlier one is finished only if its arguments show it. Of too many calls none counts.
 */
export const finishedCalls = ({ calls, end, hasTooManyCalls }: ModelAnswer): readonly ToolCall[] => {
  if (hasTooManyCalls) return [];
  return end === 'length' ? calls.slice(0, -1).filter(isFinished) : calls;
};

const isFinished = ({ function: called }: ToolCall): boolean => looksComplete(called.name, called.arguments);

/** The call, if it is complete; undefined when it is malformed (docs/protocol.md "Malformed call"). */
export const checkCall = (
  call: ToolCall,
  { tools, projectId }: { readonly tools: ToolExecutor; readonly projectId: string },
): CheckedCall | undefined => {
  const { name, arguments: text } = call.function;
  const args = name.trim() === '' ? undefined : parseArguments(text);
  if (!args) return undefined;
  const declaration = describe(tools, name);
  return { call, declaration, signature: callSignature(declaration, args, projectId) };
};

/** Plan mode allows the tools that are known to change nothing; exact names, never prefixes (docs/tools.md). */
export const isAllowed = ({ declaration }: CheckedCall, mode: Mode): boolean =>
  mode === 'act' || declaration.effect !== 'write';
