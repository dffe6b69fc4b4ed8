import { z } from 'zod';
import { withoutSurroundings } from '../contracts/model/prompt-marks.ts';
import { TOOL_RESULT_HEADING } from '../contracts/tools/tool-name.ts';
import { parseJson } from '../contracts/values/parse-json.ts';
import type { RequestMessage } from './chat-request.ts';

/** A tool call of this turn, and its result. */
export interface DemoToolResult {
  /** The registered name or, from a result in a system message, `Tool.action`. */
  readonly tool: string;
  readonly ok: boolean;
  readonly result: unknown;
  readonly error: string;
}

/** The state of the turn that is under way, read from the prompt. */
export interface ConversationState {
  readonly question: string;
  readonly outcomes: readonly DemoToolResult[];
  /** Number of refused calls: duplicates, plan mode, malformed ones. */
  readonly refusals: number;
  /** True when a limit of the turn is reached, so that no tool may be called any longer. */
  readonly mustAnswer: boolean;
  /** True when the model has spoken since the last tool result (or since the question, if there was none). */
  readonly hasAnswered: boolean;
  /** Files whose text is replaced by a line in the prompt, because their write sessions were committed. */
  readonly writtenFiles: readonly string[];
  /** True when the model has spoken in this turn. */
  readonly hasSpoken: boolean;
}

/**
 * Reads the state of the turn from the last message of the user and those after it. Tool results are in `tool` messages
 * or in boxed system messages.
 */
export const readConversation = (messages: readonly RequestMessage[]): ConversationState => {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const turn = messages.slice(start + 1);
  const names = new Map(
    turn.flatMap(
      (message) => message.tool_calls?.map(({ id, function: { name } }) => [id, name] as const) ?? [],
    ),
  );
  const isResult = ({ role, content }: RequestMessage) =>
    role === 'tool' || (role === 'system' && content.includes(TOOL_RESULT_HEADING));
  const hasSpoken = (list: readonly RequestMessage[]) => list.some(({ role }) => role === 'assistant');
  const notices = turn.filter((message) => message.role === 'system' && !isResult(message));
  return {
    question: withoutSurroundings(messages[start]?.content ?? ''),
    outcomes: turn
      .filter(isResult)
      .map((message) => toolResultIn(message.content, names.get(message.tool_call_id ?? ''))),
    refusals: notices.filter(({ content }) => /^(Duplicate|Refusal|Tool call incomplete)/.test(content))
      .length,
    mustAnswer: notices.some(({ content }) => content.includes('without further tool calls')),
    hasAnswered: hasSpoken(turn.slice(turn.findLastIndex(isResult) + 1)),
    writtenFiles: turn.flatMap(({ role, content }) =>
      role === 'assistant' ? (/^\[wrote (.+?): /.exec(content)?.[1] ?? []) : [],
    ),
    hasSpoken: hasSpoken(turn),
  };
};

const payloadSchema = z.object({
  ok: z.boolean().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

const BOXED_NAME = new RegExp(String.raw`${TOOL_RESULT_HEADING}(\S+)`);

const toolResultIn = (content: string, name: string | undefined): DemoToolResult => {
  const payload = payloadSchema.safeParse(jsonIn(content));
  const tool = name ?? BOXED_NAME.exec(content)?.[1] ?? 'the tool';
  if (!payload.success) return { tool, ok: true, result: content, error: '' };
  const { ok = true, result, error } = payload.data;
  return { tool, ok, result, error: typeof error === 'string' ? error : JSON.stringify(error ?? '') };
};

/**
 * Reads the JSON of a result. In a boxed message it takes up the whole box. In a plain message it is the first line,
 * and texts of several lines follow below it, each after its name.
 */
const jsonIn = (content: string): unknown => {
  const [line = '', ...texts] = content.startsWith('═') ? [content] : content.split(/\n\n(?=\w+:\n)/);
  const payload = parseJson(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1));
  const below = texts.map((text) => {
    const end = text.indexOf(':\n');
    return [text.slice(0, end), text.slice(end + 2)] as const;
  });
  const known = payloadSchema.extend({ result: z.record(z.string(), z.unknown()) }).safeParse(payload);
  return known.success
    ? { ...known.data, result: { ...known.data.result, ...Object.fromEntries(below) } }
    : payload;
};
