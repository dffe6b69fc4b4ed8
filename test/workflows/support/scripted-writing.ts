import type {
  CallModelInput,
  CallModelResult,
  ExecuteToolInput,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { ScriptedActivities, succeeded, scriptedCall, type ScriptedAnswer } from './scripted-activities.ts';

export const beginCall = (operation: string) =>
  scriptedCall('WritePlanTool_begin', { target_file: 'docs/big.md', operation });

/** The answer that begins a write session. */
export const begins: ScriptedAnswer = { texts: ['I begin.\n'], calls: [beginCall('create')] };

const declaration = {
  name: 'WritePlanTool_begin',
  effect: 'write' as const,
  pathArguments: ['target_file'],
  volatileFields: [],
  defaults: {},
  beginsWriteSession: { sessionId: 'session_id', target: 'target_file' },
};

/**
 * Returns activities of a turn that writes: the begin tool is declared and answers with the session that the workflow
 * drew, and an answer may be cut at its token limit.
 */
export const scriptedWriting = (answers: readonly (ScriptedAnswer & { readonly end?: 'length' })[]) => {
  const scripted = new ScriptedActivities(answers);
  const callModel = async (input: CallModelInput): Promise<CallModelResult> => {
    const { outcome, tail } = await scripted.callModel(input);
    if (outcome.kind !== 'ended') return { outcome, tail };
    const end = answers[input.step - 1]?.end ?? outcome.end;
    const declarations = outcome.calls.length > 0 ? { WritePlanTool_begin: declaration } : {};
    return { outcome: { ...outcome, end, declarations }, tail };
  };
  const executeTool = (input: ExecuteToolInput): Promise<ToolResult> => {
    scripted.toolCalls.push(input);
    const session_id = input.writeSession?.sessionId ?? '';
    return Promise.resolve(succeeded(input, { session_id, target_file: 'docs/big.md' }));
  };
  return { scripted, activities: { ...scripted, callModel, executeTool } };
};
