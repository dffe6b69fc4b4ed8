import { type TurnMode, type ToolCall, isAllowedIn } from '../../contracts/tools/tool-call.ts';
import { validateArguments } from './call-arguments.ts';
import { type ToolRegistry } from '../registry.ts';
import type { Tool, ToolOutcome } from '../tool.ts';

/** A call that may run, or why it may not. */
export type AdmittedCall =
  | { readonly ok: true; readonly tool: Tool; readonly input: unknown }
  | (ToolOutcome & { readonly ok: false; readonly tool?: Tool });

/** Checks that the tool of a call is known, that the mode allows it, and that the arguments are valid. Runs nothing. */
export const admitCall = async (
  registry: ToolRegistry,
  call: ToolCall,
  mode: TurnMode,
): Promise<AdmittedCall> => {
  const tool = await registry.find(call.function.name);
  if (tool === undefined) return unknownToolRefusal(registry, call.function.name, mode);
  if (!isAllowedIn(mode, tool.declaration)) return { ...planModeRefusal(tool), tool };
  return { ...(await validateArguments(tool, call.function.arguments)), tool };
};

const unknownToolRefusal = (registry: ToolRegistry, name: string, mode: TurnMode): AdmittedCall => {
  const available = registry.definitions(mode).map((definition) => definition.function.name);
  return {
    ok: false,
    error: `unknown tool ${JSON.stringify(name)}; available tools: ${available.join(', ')}`,
  };
};

const planModeRefusal = ({ declaration }: Tool): ToolOutcome & { ok: false } => ({
  ok: false,
  error: `${declaration.name} is blocked in PLAN mode; the user must switch to ACT mode for write operations`,
  details: { code: 'PLAN_MODE' },
});
