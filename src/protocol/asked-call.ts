import { describeBuiltInTool } from '../contracts/built-in-tools.ts';
import type { Mode, ToolCall, ToolDeclaration } from '../contracts/tool-call.ts';
import { callSignature } from './call-signature.ts';
import type { ToolExecutor } from './ports.ts';
import { parseArguments } from './tool-arguments.ts';

/** A complete call: whom it asks, and for what. */
export interface AskedCall {
  readonly call: ToolCall;
  readonly declaration: ToolDeclaration;
  readonly known: boolean;
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
const describe = (tools: ToolExecutor, name: string): ToolDeclaration | undefined => {
  const declared: Partial<ToolDeclaration> | undefined = tools.describe
    ? tools.describe(name)
    : describeBuiltInTool(name);
  return declared && { ...undeclared(name), ...declared };
};

/** A complete call out of what an adapter handed over; undefined when it is malformed (protocol.md). */
export const askedCall = (
  raw: Partial<ToolCall> | undefined,
  position: number,
  { tools, projectId }: { readonly tools: ToolExecutor; readonly projectId: string },
): AskedCall | undefined => {
  const name: unknown = raw?.function?.name;
  const text: unknown = raw?.function?.arguments ?? '';
  if (typeof name !== 'string' || name.trim() === '' || typeof text !== 'string') return undefined;
  const args = parseArguments(text);
  if (!args) return undefined;
  const declared = describe(tools, name);
  const declaration = declared ?? undeclared(name);
  return {
    call: { id: raw?.id || `call_${position}`, type: 'function', function: { name, arguments: text } },
    declaration,
    known: declared !== undefined,
    signature: callSignature(declaration, args, projectId),
  };
};

/** Plan mode allows the tools that are known to change nothing; exact names, never prefixes (tools.md). */
export const isAllowed = ({ declaration }: AskedCall, mode: Mode): boolean =>
  mode === 'act' || declaration.effect !== 'write';
