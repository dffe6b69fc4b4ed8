import { randomUUID } from 'node:crypto';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { WriteSessionActivities } from '../../activities/write-session/write-session-activities.ts';
import type { ContentRef } from '../../src/contracts/write-session/write-session.ts';
import { writeSessionWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import type { SessionEnded, CommitOutcome } from '../../src/contracts/write-session/session-messages.ts';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow-payloads.ts';
import type {
  CloseWriteSessionInput,
  CommitWriteInput,
  CommitWriteResult,
} from '../../src/contracts/payload/session-activity-payloads.ts';
import type { TurnWorker } from './turn-worker.ts';

/** Returns a reference to a content. References with different letters (a–f) name different contents. */
export const contentRef = (letter: string): ContentRef => ({
  sha256: letter.repeat(64),
  bytes: 10,
  lines: 1,
});

/** The draft file of every scripted session holds this content. */
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

/** Commits and closes that succeed unless `script` says otherwise for the n-th commit (1, 2, …). */
export class ScriptedSession implements WriteSessionActivities {
  readonly commits: CommitWriteInput[] = [];
  readonly closes: CloseWriteSessionInput[] = [];
  readonly #ends = new Map<string, SessionEnded>();
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

  readonly commitWrite = async (input: CommitWriteInput): Promise<CommitWriteResult> => {
    this.commits.push(input);
    const scripted = await this.#script(this.commits.length, input);
    const outcome = scripted ?? { kind: 'committed', content: input.content ?? DRAFT };
    if (outcome.kind === 'failed') return outcome;
    const { sessionId } = input;
    return { ...outcome, ended: this.#end({ sessionId, end: 'committed', content: outcome.content }) };
  };

  readonly closeWriteSession = (input: CloseWriteSessionInput): Promise<SessionEnded> => {
    this.closes.push(input);
    const { sessionId, end } = input;
    return Promise.resolve(this.#end({ sessionId, end }));
  };

  /** Returns how the session ended: by `end`, unless it had ended before. */
  #end(end: SessionEnded): SessionEnded {
    const stands = this.#ends.get(end.sessionId) ?? end;
    this.#ends.set(end.sessionId, stands);
    return stands;
  }
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
