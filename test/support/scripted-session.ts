import { randomUUID } from 'node:crypto';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { WriteSessionActivities } from '../../activities/write-session/write-session-activities.ts';
import {
  type ContentRef,
  type SessionEnded,
  writeSessionWorkflowId,
} from '../../src/contracts/write-session.ts';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow.ts';
import type {
  CloseWriteSessionInput,
  CommitOutcome,
  CommitWriteInput,
} from '../../src/contracts/payload/session-activities.ts';
import type { TurnWorker } from './turn-worker.ts';

/** Reference of a content that is told from others by its letter, a–f. */
export const contentRef = (letter: string): ContentRef => ({
  sha256: letter.repeat(64),
  bytes: 10,
  lines: 1,
});

/** What stands in the draft file of every scripted session. */
export const DRAFT = contentRef('d');

export const failedOutcome = {
  kind: 'failed',
  code: 'write_failed',
  reason: 'no space',
} as const satisfies CommitOutcome;

export const sessionInput = (fields: Partial<WriteSessionInput> = {}): WriteSessionInput => ({
  revision: 1,
  sessionId: randomUUID(),
  projectId: 'project',
  targetFile: 'docs/big.md',
  operation: 'overwrite',
  intent: '',
  inactivityTimeoutMs: 300_000,
  searchAttributes: false,
  ...fields,
});

/** Commits and closes that succeed, unless `script` says otherwise for the n-th commit (1, 2, …). */
export class ScriptedSession implements WriteSessionActivities {
  readonly commits: CommitWriteInput[] = [];
  readonly closes: CloseWriteSessionInput[] = [];
  readonly #script: (
    n: number,
    input: CommitWriteInput,
  ) => Promise<CommitOutcome> | CommitOutcome | undefined;

  constructor(
    script: (n: number, input: CommitWriteInput) => Promise<CommitOutcome> | CommitOutcome | undefined = () =>
      undefined,
  ) {
    this.#script = script;
  }

  readonly commitWrite = async (input: CommitWriteInput): Promise<CommitOutcome> => {
    this.commits.push(input);
    const scripted = await this.#script(this.commits.length, input);
    return scripted ?? { kind: 'committed', content: input.content ?? DRAFT };
  };

  readonly closeWriteSession = ({
    sessionId,
    end,
    ...rest
  }: CloseWriteSessionInput): Promise<SessionEnded> => {
    this.closes.push({ sessionId, end, ...rest });
    return Promise.resolve({ sessionId, end });
  };
}

export const startSession = (
  worker: TurnWorker,
  input: WriteSessionInput,
  workflowId = writeSessionWorkflowId(input.sessionId),
): Promise<WorkflowHandleWithFirstExecutionRunId> =>
  worker.client.workflow.start('writeSessionWorkflow', {
    workflowId,
    taskQueue: worker.taskQueue,
    args: [input],
    workflowTaskTimeout: 2_000,
  });
