/**
 * Names of trace events within their turn: whoever records the same thing again, a later attempt or the workflow for
 * an activity that was lost, uses the same name, and it is stored once.
 */
export const llmCallKey = (step: number): string => `llm_call:${step}`;
export const llmResultKey = (step: number): string => `llm_result:${step}`;

/** Place of an execution as the ledger has it. */
interface ToolPlace {
  readonly phaseIndex: number;
  readonly position: number;
}
export const toolCallKey = ({ phaseIndex, position }: ToolPlace): string =>
  `tool_call:${phaseIndex}.${position}`;
export const toolResultKey = ({ phaseIndex, position }: ToolPlace): string =>
  `tool_result:${phaseIndex}.${position}`;
