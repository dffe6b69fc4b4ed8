import type { ModelMessage } from '../../contracts/model-message.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { failureAdvice } from './notices.ts';
import type { ExecutedCall } from './tool-execution.ts';
import type { Turn } from './turn.ts';
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
export const appendModelText = (turn: Turn, text: string): void => {
  if (text !== '') turn.messages.push({ role: 'assistant', content: text });
};

/** What the model reads of an execution; it must know when another call than its own has run. */
const resultText = ({ checked, result, asked }: ExecutedCall): string => {
  const box = toolResultBox(result);
  return asked ? `The user changed the arguments to: ${checked.call.function.arguments}\n\n${box}` : box;
};

const pairedMessages = (text: string, executions: readonly ExecutedCall[]): ModelMessage[] => [
  {
    role: 'assistant',
    content: text,
    tool_calls: executions.map(({ checked, asked }) => asked ?? checked.call),
  },
  ...executions.map((execution): ModelMessage => ({
    role: 'tool',
    tool_call_id: execution.checked.call.id,
    content: resultText(execution),
  })),
];

/**
 * Puts the results before the model (docs/protocol.md "What the model is told"): as tool messages, or as system boxes
 * for providers without them; those would also reject `tool_calls`, so then the words go alone.
 */
export const reportResults = (turn: Turn, text: string, executions: readonly ExecutedCall[]): void => {
  if (turn.toolResultRole === 'tool') {
    turn.messages.push(...pairedMessages(text, executions));
  } else {
    appendModelText(turn, text);
    for (const execution of executions)
      turn.messages.push({ role: 'system', content: resultText(execution) });
  }
  for (const { result, isDenied } of executions) {
    if (result.success || isDenied || result.error === DUPLICATE_BLOCKED) continue;
    turn.messages.push({ role: 'system', content: failureAdvice(result.retryable === true) });
  }
};

/** The notice that shows a tool's result to the user, in a box of its own. */
export const resultBox = (turn: Turn, { result }: ExecutedCall): TurnEvent =>
  turn.notice('tool_result', `\n\n${toolResultBox(result)}\n\n`);
