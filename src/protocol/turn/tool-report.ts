import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { JsonValue } from '../../contracts/values/json-value.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import { failureAdvice } from './notices.ts';
import type { ExecutedCall } from './tool-execution.ts';
import type { Turn } from './turn.ts';
import type { ToolCall, ToolResult } from '../../contracts/tools/tool-call.ts';
import { TOOL_RESULT_HEADING } from '../../contracts/tools/tool-name.ts';

/** The line above and below the title of a box, and at its end. */
export const BOX_BORDER = '═'.repeat(79);

/** The beginning of a result whose call a person has edited. */
export const CHANGED_ARGUMENTS = 'The user changed the arguments to: ';

/**
 * Returns the text of a result for the model (docs/protocol.md "What the model is told"). The text is plain for a tool
 * message, and boxed for a system message. `changedTo` are the arguments with which the call ran, if a person edited
 * it.
 */
export const toolResultText = (result: ToolResult, role: 'tool' | 'system', changedTo?: string): string => {
  const text = role === 'tool' ? plainResult(result) : toolResultBox(result);
  return changedTo === undefined ? text : `${CHANGED_ARGUMENTS}${changedTo}\n\n${text}`;
};

/**
 * `error` of a repeat that the standard protocol or an executor refused. The model gets no advice about a failed call
 * after it, since the standard protocol adds a notice of its own (docs/protocol.md "Standard protocol").
 */
export const DUPLICATE_BLOCKED = 'DUPLICATE_BLOCKED';

/** Adds text of the model as a message without tool calls. Adds nothing if the text is empty. */
export const appendModelText = (turn: Turn, text: string): void => {
  if (text !== '') turn.addMessage({ role: 'assistant', content: text });
};

/** The result of a complete call that did not run because another call of the same answer did. */
export const NOT_RUN_ONE_AT_A_TIME = 'Not run: one call at a time.';

/**
 * Tells the model once more the result of a call that may not run again, if prompts leave that result out. Returns
 * false, and adds no message, if they do not.
 */
export const reportAgain = (turn: Turn, text: string, checkedCall: CheckedCall): boolean => {
  const message = turn.results.leftOutMessage(checkedCall.signature);
  if (message === undefined) return false;
  appendCalls(turn, text, [checkedCall.call]);
  reportResult(turn, checkedCall, message.content);
  return true;
};

/**
 * Adds the text of an answer and its calls. The calls are left out for a provider without tool messages, which would
 * reject them.
 */
const appendCalls = (turn: Turn, text: string, calls: ToolCall[]): void => {
  if (turn.toolResultRole === 'system') appendModelText(turn, text);
  else turn.addMessage({ role: 'assistant', content: text, tool_calls: calls });
};

/**
 * Adds the result of a call to the messages, and remembers its message, so that the turn knows later whether prompts
 * leave it out.
 */
const reportResult = (turn: Turn, checkedCall: CheckedCall, content: string): void => {
  const message: ModelMessage =
    turn.toolResultRole === 'tool'
      ? { role: 'tool', tool_call_id: checkedCall.call.id, content }
      : { role: 'system', content };
  turn.addMessage(message);
  turn.results.add(checkedCall, message);
};

/**
 * Shows the results to the model (docs/protocol.md "What the model is told"). They are tool messages, or boxes in
 * system messages for providers without tool messages. Advice follows for calls that ran and failed. `beside` are calls
 * of the same answer that did not run.
 */
export const reportResults = (
  turn: Turn,
  text: string,
  executions: readonly ExecutedCall[],
  beside: readonly ToolCall[] = [],
): void => {
  appendCalls(turn, text, [
    ...executions.map(({ checkedCall, replacedCall }) => replacedCall ?? checkedCall.call),
    ...beside,
  ]);
  for (const execution of executions) {
    reportResult(turn, execution.checkedCall, resultText(execution, turn.toolResultRole));
  }
  if (turn.toolResultRole === 'tool') {
    for (const { id } of beside) {
      turn.addMessage({ role: 'tool', tool_call_id: id, content: NOT_RUN_ONE_AT_A_TIME });
    }
  }
  for (const { result, isWithheld } of executions) {
    if (result.success || isWithheld || result.error === DUPLICATE_BLOCKED) continue;
    turn.addMessage({ role: 'system', content: failureAdvice(result.retryable === true) });
  }
};

/** Returns the text of an execution for the model, which is told if an edited call ran instead of its own. */
const resultText = ({ checkedCall, result, replacedCall }: ExecutedCall, role: 'tool' | 'system'): string =>
  toolResultText(result, role, replacedCall && checkedCall.call.function.arguments);

/** Returns the notice that shows a tool's result to the user, in a box of its own. */
export const resultBox = ({ result }: ExecutedCall): TurnEvent => ({
  type: 'chunk',
  content: `\n\n${toolResultBox(result)}\n\n`,
  notice: 'tool_result',
});

/**
 * Returns a result as one line of JSON. Texts of several lines follow below it, each under its name and unchanged, if
 * they are the result of a success or fields of it.
 */
const plainResult = ({ success, result, error, details, attempts }: ToolResult): string => {
  if (!success) return JSON.stringify({ ok: false, error, details, attempts });
  if (isLongText(result)) return `${JSON.stringify({ ok: true })}\n\nresult:\n${result}`;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    return JSON.stringify({ ok: true, result });
  }
  const below = new Map<string, string>();
  const fields = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(result)) {
    if (isLongText(value)) below.set(name, value);
    else fields.set(name, value);
  }
  const texts = [...below].map(([name, text]) => `\n\n${name}:\n${text}`);
  return JSON.stringify({ ok: true, result: Object.fromEntries(fields) }) + texts.join('');
};

const isLongText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value.includes('\n');

/** Returns the result in a box, for people and for providers without tool messages. */
const toolResultBox = (result: ToolResult): string => {
  const { success, error, details, attempts, toolCallId } = result;
  const payload = success
    ? { ok: true, result: result.result }
    : { ok: false, error, details, attempts, toolCallId };
  return [
    BOX_BORDER,
    TOOL_RESULT_HEADING + result.toolName,
    BOX_BORDER,
    JSON.stringify(payload, null, 2),
    BOX_BORDER,
  ].join('\n');
};
