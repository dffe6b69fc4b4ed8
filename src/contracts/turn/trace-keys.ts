/** Place of an execution, as the ledger names it. */
interface ToolPlace {
  readonly phaseIndex: number;
  readonly position: number;
}

/**
 * Returns the key, within its turn, of the trace that a step's model call began. A later attempt, and the workflow in
 * place of a lost activity, use the same key, so that the trace is stored once. The same holds for `llmResultKey`,
 * `toolCallKey` and `toolResultKey`.
 */
export const llmCallKey = (step: number): string => `llm_call:${step}`;
/** Returns the key of the trace with the result of a step's model call. */
export const llmResultKey = (step: number): string => `llm_result:${step}`;

/** Returns the key of the trace which says that a tool was called at this place. */
export const toolCallKey = ({ phaseIndex, position }: ToolPlace): string =>
  `tool_call:${phaseIndex}.${position}`;
/** Returns the key of the trace with the result of the tool call at this place. */
export const toolResultKey = ({ phaseIndex, position }: ToolPlace): string =>
  `tool_result:${phaseIndex}.${position}`;
