import { type CancellationScope, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { FinalizeOutcome, WriteSessionInput } from '../src/contracts/payload/session-workflow.ts';
import type { SessionStage } from '../src/contracts/write-session.ts';
import {
  applyEvent,
  newSession,
  type SessionEvent,
  type SessionState,
  nextStep,
  statusOf,
} from '../src/write-session/session-state.ts';
import { ORION_STATUS } from '../src/contracts/search-attributes.ts';

/** The state of one write session and what hangs on its changes: the details shown, a commit to be given up. */
export class OpenSession {
  readonly input: WriteSessionInput;
  /** Of the commit that is under way. */
  commitScope: CancellationScope | undefined;
  #state: SessionState;
  #tickets = 0;

  constructor(input: WriteSessionInput) {
    this.input = input;
    this.#state = newSession(Date.now(), input.inactivityTimeoutMs);
    showSession(input, this.#state);
  }

  get state(): SessionState {
    return this.#state;
  }

  apply(event: SessionEvent): void {
    this.#state = applyEvent(this.#state, event);
    // A commit that cannot come to an end must not keep the session from being cancelled.
    if (this.#state.closing === 'cancelled') this.commitScope?.cancel();
    showSession(this.input, this.#state);
  }

  newTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  answerTo(ticket: number): FinalizeOutcome | undefined {
    return this.#state.answers[ticket];
  }
}

/** Markdown for the Web UI's "current details": where the session stands, and until when. */
export const showSession = (input: WriteSessionInput, state: SessionState): void => {
  const { stage, draft, expiresAt } = statusOf(state);
  const draftText = draft === null ? 'none told' : `${draft.bytes} bytes, sha256 ${draft.sha256}`;
  setCurrentDetails(
    [
      `**${stage}**${state.closing === null ? '' : ` · closing as ${state.closing}`}`,
      '',
      `- ${input.operation} \`${input.targetFile}\``,
      `- draft: ${draftText}`,
      `- expires: ${new Date(expiresAt).toISOString()}`,
    ].join('\n'),
  );
};

/** Answer to Temporal's stack-trace queries. */
export const sessionStack = (state: SessionState): string[] => {
  const { stage, expiresAt } = statusOf(state);
  return [stage, waitedFor(state, new Date(expiresAt).toISOString())];
};

const waitedFor = (state: SessionState, expiry: string): string => {
  const step = nextStep(state);
  switch (step.kind) {
    case 'wait':
      return `waiting for a finalize, a touch or a cancel, until ${expiry}`;
    case 'commit':
      return 'waiting for the write: activity commitWrite';
    case 'close':
      return `waiting for its row to end as ${step.end}: activity closeWriteSession`;
    case 'ended':
      return 'waiting for nothing';
    default:
      return step satisfies never;
  }
};

/** Set once at the end: visibility writes are billed. */
export const showStage = (input: WriteSessionInput, stage: SessionStage): void => {
  if (input.searchAttributes) upsertSearchAttributes([{ key: ORION_STATUS, value: stage }]);
};
