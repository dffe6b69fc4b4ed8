import type { ToolResult } from '../../contracts/tool-call.ts';

const RULE = '═'.repeat(79);

/** The result as the model reads it (docs/protocol.md "What the model is told"). */
export const toolResultBox = (result: ToolResult): string => {
  const { success, error, details, attempts, toolCallId } = result;
  const payload = success
    ? { ok: true, result: result.result }
    : { ok: false, error, details, attempts, toolCallId };
  return [RULE, `TOOL RESULT: ${result.toolName}`, RULE, JSON.stringify(payload, null, 2), RULE].join('\n');
};
