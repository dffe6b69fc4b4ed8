import { createHash } from 'node:crypto';
import { MAX_ARGUMENT_BYTES } from '../../contracts/inputs/reply.ts';
import type { TurnMode, ToolCall, ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';
import { parseArguments } from '../../protocol/stream/tool-arguments.ts';
import { admitCall } from './admit-call.ts';
import { classifyToolError } from './tool-errors.ts';
import { fileDiff } from '../file-diff.ts';
import type { ToolRegistry } from '../registry.ts';
import type { FileChange, Tool, ToolOutcome } from '../tool.ts';

/** The preview of a call that a person sees before it runs. */
export interface CallPreview {
  readonly ok: true;
  readonly declaration: ToolDeclaration;
  /** Hash of the tool, of its arguments, and of the file that it would change, as that file is now. */
  readonly argsHash: string;
  /** Path of the file that the call would change. Both `target` and `diff` are absent if the call has no such file. */
  readonly target?: string;
  readonly diff?: string;
}

/** A call that is refused before it runs. `tool` is absent if the call was refused before its tool was found. */
export type RefusedCall = ToolOutcome & { readonly ok: false; readonly tool?: Tool };

/**
 * Makes the checks of `admitCall`, as the runner does before the call runs, and shows what the call would do. Also
 * refuses arguments that are too long to read. Changes no file.
 */
export const previewCall = async (
  registry: ToolRegistry,
  call: ToolCall,
  { projectId, mode }: { readonly projectId: string; readonly mode: TurnMode },
): Promise<CallPreview | RefusedCall> => {
  const bytes = Buffer.byteLength(call.function.arguments);
  if (bytes > MAX_ARGUMENT_BYTES) {
    // Nobody would read them before they decide.
    return {
      ok: false,
      error: `arguments: ${bytes} bytes are more than anybody can approve (${MAX_ARGUMENT_BYTES})`,
    };
  }
  const admitted = await admitCall(registry, call, mode);
  if (!admitted.ok) return admitted;
  const { tool, input } = admitted;
  const change = await previewChange(tool, input, projectId);
  if (change?.ok === false) return { ...change, tool };
  const { declaration } = tool;
  const argsHash = hashOf(declaration.name, call.function.arguments, change);
  return change === undefined
    ? { ok: true, declaration, argsHash }
    : { ok: true, declaration, argsHash, target: change.target, diff: fileDiff(change) };
};

/**
 * Returns the hash that `previewCall` would return for the call now. Returns undefined if the tool would refuse the
 * preview.
 */
export const computeCurrentHash = async (
  tool: Tool,
  input: unknown,
  argumentsText: string,
  projectId: string,
): Promise<string | undefined> => {
  const change = await previewChange(tool, input, projectId);
  return change?.ok === false ? undefined : hashOf(tool.declaration.name, argumentsText, change);
};

const previewChange = async (
  tool: Tool,
  input: unknown,
  projectId: string,
): Promise<FileChange | (ToolOutcome & { ok: false }) | undefined> => {
  try {
    return await tool.preview?.(input, { projectId });
  } catch (error) {
    return classifyToolError(error);
  }
};

const hashOf = (tool: string, argumentsText: string, change: FileChange | undefined): string =>
  approvalHash(tool, argumentsText, {
    ...(change && { target: { path: change.target, sha256: change.before?.sha256 ?? null } }),
  });

/**
 * Returns the hash of what a reply approves: a call, the file that it would change as it was shown, and the text that
 * would be written to it.
 */
export const approvalHash = (
  tool: string,
  argumentsText: string,
  shown: {
    readonly target?: { readonly path: string; readonly sha256: string | null };
    /** SHA-256 of the new content, where the arguments do not hold it. */
    readonly content?: string;
  },
): string => {
  const approved = { tool, arguments: parseArguments(argumentsText), ...shown };
  return createHash('sha256').update(canonicalJson(approved)).digest('hex');
};
