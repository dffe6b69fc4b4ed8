import type {
  CallModelInput,
  CallModelResult,
  CloseTurnInput,
  ExecuteToolInput,
} from '../src/contracts/model-call.ts';
import type { ToolResult } from '../src/contracts/tool-call.ts';
import { createCallModel } from './call-model.ts';
import type { CallModelDeps } from './call-model.ts';
import { createCloseTurn } from './close-turn.ts';
import type { CloseTurnDeps } from './close-turn.ts';
import { createExecuteTool } from './execute-tool.ts';
import type { ExecuteToolDeps } from './execute-tool.ts';

/** The side effects of a turn, as the workflow sees them. */
export interface Activities {
  callModel(input: CallModelInput): Promise<CallModelResult>;
  executeTool(input: ExecuteToolInput): Promise<ToolResult>;
  closeTurn(input: CloseTurnInput): Promise<void>;
}

/** Built once per worker process (worker/main.ts); everything they touch is injected. */
export const createActivities = (deps: CallModelDeps & ExecuteToolDeps & CloseTurnDeps): Activities => ({
  callModel: createCallModel(deps),
  executeTool: createExecuteTool(deps),
  closeTurn: createCloseTurn(deps),
});
