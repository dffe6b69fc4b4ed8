import type { ModelMessage } from '../../contracts/model-message.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { failureAdvice } from '../turn/notices.ts';
import type { Execution } from './tool-execution.ts';
import type { Turn } from '../turn/turn.ts';
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

/** The standard protocol's result for a repeat, which brings its own message (docs/protocol.md). */
export const DUPLICATE_BLOCKED = 'DUPLICATE_BLOCKED';

/** Words of the model that led to no paired tool message. */
export const keepText = (turn: Turn, text: string): void => {
  if (text !== '') turn.messages.push({ role: 'assistant', content: text });
};

const pairedMessages = (text: string, executions: readonly Execution[]): ModelMessage[] => [
  { role: 'assistant', content: text, tool_calls: executions.map(({ checked }) => checked.call) },
  ...executions.map(({ checked, result }): ModelMessage => ({
    role: 'tool',
    tool_call_id: checked.call.id,
    content: toolResultBox(result),
  })),
];

/**
 * Puts the results before the model (docs/protocol.md "What the model is told"): as tool messages, or as system boxes
 * for providers without them; those would also reject `tool_calls`, so then the words go alone.
 */
export const reportResults = (turn: Turn, text: string, executions: readonly Execution[]): void => {
  if (turn.toolResultRole === 'tool') {
    turn.messages.push(...pairedMessages(text, executions));
  } else {
    keepText(turn, text);
    for (const { result } of executions)
      turn.messages.push({ role: 'system', content: toolResultBox(result) });
  }
  for (const { result } of executions) {
    if (result.success || result.error === DUPLICATE_BLOCKED) continue;
    turn.messages.push({ role: 'system', content: failureAdvice(result.retryable === true) });
  }
};

/** A result as the user may see it. */
export const resultBox = (turn: Turn, { result }: Execution): TurnEvent =>
  turn.notice('tool_result', `\n\n${toolResultBox(result)}\n\n`);
