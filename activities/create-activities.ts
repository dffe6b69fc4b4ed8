import type { KeepWriteSessionInput } from '../src/contracts/payload/session-activity-payloads.ts';
import type {
  CallModelInput,
  CallModelResult,
  CloseTurnInput,
  ExecuteToolInput,
} from '../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../src/contracts/tools/tool-call.ts';
import type { KeepOutcome } from '../src/protocol/ports/write-session-port.ts';
import { createCallModel, type CallModelDeps } from './call-model/call-model.ts';
import { createCloseTurn, type CloseTurnDeps } from './turn/close-turn.ts';
import {
  createCloseWriteSession,
  type CloseWriteSessionDeps,
  createCommitWrite,
  type CommitWriteDeps,
  type WriteSessionActivities,
} from './write-session/write-session-activities.ts';
import { createExecuteTool, type ExecuteToolDeps } from './execute-tool/execute-tool.ts';
import {
  createInputActivities,
  type InputActivities,
  type InputActivityDeps,
} from './inputs/input-activities.ts';
import {
  createSendNotification,
  type NotifyActivities,
  type SendNotificationDeps,
} from './send-notification.ts';
import { type CompactActivities, createCompactActivities, type CompactDeps } from './compact-activities.ts';
import { createPruneStorage, type PruneStorageDeps, type RetentionActivities } from './prune-storage.ts';
import { createKeepWriteSession, type KeepWriteSessionDeps } from './write-session/keep-write-session.ts';

/** The activities of a turn, as its workflow calls them. Those of input requests and others have types of their own. */
export interface TurnActivities {
  /** Makes one attempt of a model call, and streams what the model writes to the turn's readers. */
  callModel(input: CallModelInput): Promise<CallModelResult>;
  /** Runs a tool call, unless the ledger has its result. A failure of the tool is a result, too. */
  executeTool(input: ExecuteToolInput): Promise<ToolResult>;
  /** Stores the end of a turn, then sends it to the turn's readers. The first end counts, and a repeat sends that. */
  closeTurn(input: CloseTurnInput): Promise<void>;
  /** Keeps what was written in a write session, and commits it if `input` says so. A repeat changes nothing. */
  keepWriteSession(input: KeepWriteSessionInput): Promise<KeepOutcome>;
}

/** All activities of a worker, by the names under which workflows call them. */
export type AllActivities = TurnActivities &
  InputActivities &
  WriteSessionActivities &
  RetentionActivities &
  NotifyActivities &
  CompactActivities;

/**
 * Creates the activities of a worker. They are built once per process (worker/compose-activities.ts), and everything
 * they touch is injected.
 */
export const createActivities = (
  deps: CallModelDeps &
    ExecuteToolDeps &
    CloseTurnDeps &
    CommitWriteDeps &
    CloseWriteSessionDeps &
    KeepWriteSessionDeps &
    InputActivityDeps &
    PruneStorageDeps &
    SendNotificationDeps &
    CompactDeps,
): AllActivities => ({
  callModel: createCallModel(deps),
  executeTool: createExecuteTool(deps),
  closeTurn: createCloseTurn(deps),
  commitWrite: createCommitWrite(deps),
  closeWriteSession: createCloseWriteSession(deps),
  keepWriteSession: createKeepWriteSession(deps),
  ...createInputActivities(deps),
  pruneStorage: createPruneStorage(deps),
  sendNotification: createSendNotification(deps),
  ...createCompactActivities(deps),
});
