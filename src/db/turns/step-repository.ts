import { sql } from 'kysely';
import type { KnownSurroundings } from '../../contracts/model/known-surroundings.ts';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { SentStep } from '../../contracts/model/sent-step.ts';
import { attemptEpoch, MAX_STEP_ATTEMPTS, workflowEpoch } from '../../contracts/wire/event-id.ts';
import type { Database } from '../connection/database.ts';
import { PREPARED } from '../connection/prepared-statement.ts';
import { type StepKey, withOrionCallIds } from './call-ids.ts';
import { leftOutUpTo, storeLeftOut } from './step-left-out.ts';

/** An attempt of a model call that asks for its epoch and its prompt. */
export interface StepAttempt extends StepKey {
  /** Time at which Temporal scheduled this attempt. It tells attempts apart, since attempt numbers can go back. */
  readonly scheduledAt: Date;
  readonly runId: string;
  /** The messages that are new since the last step. */
  readonly messages: readonly ModelMessage[];
  /**
   * Earlier steps that the prompt no longer contains, because a write session replaced their messages. Absent means
   * none.
   */
  readonly withdrawn?: readonly number[] | undefined;
  /** Decides with what the turn's prompts begin. Called in step 1. Later attempts keep what the first one stored. */
  readonly decidePrompt: () => Promise<PromptDecisions>;
}

/** The decisions that hold for all model calls of a turn. */
export interface PromptDecisions {
  /** The turn with which the turn's prompts begin. */
  readonly anchorTurnId: string;
  /** The last turn of the summary with which the turn's prompts begin. Null if they begin with none. */
  readonly summaryTurnId: string | null;
  /** Text that is put before the user's message, in the same message. */
  readonly preface: string;
  /** What the preface, and earlier prefaces in the prompt, say about the workspace. */
  readonly known: KnownSurroundings;
}

/**
 * The result of claiming a step.
 *
 * - `claimed`: the attempt may write under `epoch`, and gets the messages of the steps up to its own.
 * - `superseded`: another attempt of this step, scheduled later, has claimed it.
 * - `ended`: the turn is not running (or unknown), or it belongs to another run of its workflow.
 */
export type StepClaim =
  | {
      readonly kind: 'claimed';
      readonly epoch: number;
      /**
       * The turn with which prompts begin. Null if this turn was begun by a version whose first step holds everything
       * before the user's message.
       */
      readonly anchorTurnId: string | null;
      readonly summaryTurnId: string | null;
      /** The messages of the steps up to this one that were not withdrawn, in order. */
      readonly steps: readonly SentStep[];
      /** What earlier calls, or earlier attempts of this call, left out of their prompts. Null if nothing. */
      readonly leftOut: LeftOut | null;
    }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'ended' };

/** Prompts of a turn by step, and the epochs under which attempts may write (docs/events.md). */
export interface StepRepository {
  /**
   * Claims an epoch for the attempt, and stores its messages unless an earlier attempt of the step has. Throws when the
   * step has no epoch left, after `MAX_STEP_ATTEMPTS` claims, or when messages of an earlier step are missing.
   */
  claim(attempt: StepAttempt): Promise<StepClaim>;
  /**
   * Stores what a step is sent without, before it is sent: its later attempts, and later steps, leave out the same.
   * Returns false when the claim of `epoch` is no longer the step's newest, or when the turn has ended.
   */
  storeLeftOut(step: StepKey & { readonly epoch: number }, leftOut: LeftOut): Promise<boolean>;
}

/**
 * Creates the repository in Postgres. Claims are in the row of the turn (`turns.claims`), and prompts in
 * `turn_contexts`, one row for each step.
 */
export const createStepRepository = (db: Database): StepRepository => ({
  async claim(attempt) {
    // A later attempt decides in vain: the claim keeps what the first attempt has stored.
    const decisions = attempt.step === 1 ? await attempt.decidePrompt() : undefined;
    const claim = await claimStep(db, attempt, decisions);
    return claim ? toStepClaim(attempt, claim) : classifyRefusedClaim(db, attempt);
  },
  storeLeftOut: (step, leftOut) => storeLeftOut(db, step, leftOut),
});

interface Claim {
  readonly epoch: number;
  readonly anchor: string | null;
  readonly summary: string | null;
  readonly leftOut: LeftOut | null;
  readonly steps: SentStep[];
}

/**
 * Claims the epoch, keeps the first attempt's messages and loads those of all steps, in one statement (docs/events.md
 * "Ids"). Attempts at the same moment queue up on the turn's row, and each sees the claim of the one before. Only the
 * newest claim of a step is kept. It has the highest epoch, since an attempt that was scheduled earlier gets no claim
 * after it.
 */
const claimStep = async (
  db: Database,
  attempt: StepAttempt,
  decisions: PromptDecisions | undefined,
): Promise<Claim | undefined> => {
  const { turnId, step, scheduledAt, runId, withdrawn = [] } = attempt;
  const messages = JSON.stringify(messagesToStore(attempt, decisions?.preface));
  const known = decisions ? JSON.stringify(decisions.known) : null;
  const previous = (field: 'epoch' | 'scheduledAt') =>
    sql`(claims #>> array[${String(step)}, ${field}])::bigint`;
  // In `stored`, `do update` sets the messages to what they were, only so that `returning` gives the row of an earlier
  // attempt. `do nothing` would return no row.
  const next = sql`coalesce(${previous('epoch')} + 1, ${attemptEpoch(step, 1)})`;
  const { rows } = await sql<Claim>`${PREPARED}
    with claim as (
      update turns set
        run_id = coalesce(run_id, ${runId}),
        ${firstClaimColumns(decisions)},
        claims = claims || jsonb_build_object(
          ${String(step)}::text,
          jsonb_build_object('epoch', ${next}, 'scheduledAt', ${scheduledAt.getTime()}::bigint))
      where turn_id = ${turnId} and status = 'running' and coalesce(run_id, ${runId}) = ${runId}
        and coalesce(${previous('scheduledAt')} <= ${scheduledAt.getTime()}, true)
        and ${next} < ${workflowEpoch(step)}
      returning (claims #>> array[${String(step)}, 'epoch'])::integer as epoch, anchor_turn_id as anchor,
        summary_turn_id as summary
    ), stored as (
      insert into turn_contexts (turn_id, step, messages, told, withdrawn)
      select ${turnId}, ${step}, ${messages}::json, ${known}::json, ${[...withdrawn]}::integer[] from claim
      on conflict (turn_id, step) do update set messages = turn_contexts.messages
      returning step, messages
    )
    select claim.epoch, claim.anchor, claim.summary, ${leftOutUpTo(attempt)} as "leftOut", (
      select json_agg(json_build_object('step', step, 'messages', messages) order by step) from (
        select step, messages from turn_contexts
        where turn_id = ${turnId} and step < ${step} and not step = any(${[...withdrawn]}::integer[])
        union all select step, messages from stored
      ) context
    ) as steps
    from claim`.execute(db);
  return rows[0];
};

const messagesToStore = (
  { turnId, step, messages }: StepAttempt,
  preface: string | undefined,
): ModelMessage[] => {
  const messagesWithIds = withOrionCallIds(messages, { turnId, step });
  const [first, ...others] = messagesWithIds;
  if (preface === undefined || first?.role !== 'user') return messagesWithIds;
  return [{ role: 'user', content: preface + first.content }, ...others];
};

/**
 * Returns the columns that the first claim of a turn decides: the turn and the summary with which the prompt begins.
 */
const firstClaimColumns = (decisions: PromptDecisions | undefined) => sql`
  anchor_turn_id = coalesce(anchor_turn_id, ${decisions?.anchorTurnId ?? null}),
  summary_turn_id = case when anchor_turn_id is null
    then ${decisions?.summaryTurnId ?? null}::text else summary_turn_id end`;

const toStepClaim = (
  { turnId, step, withdrawn = [] }: StepAttempt,
  { epoch, anchor, summary, steps, leftOut }: Claim,
): StepClaim => {
  if (steps.length !== step - withdrawn.length) {
    throw new Error(`Turn ${turnId}: expected the contexts of steps 1 to ${step}, found ${steps.length}.`);
  }
  return { kind: 'claimed', epoch, anchorTurnId: anchor, summaryTurnId: summary, steps, leftOut };
};

const classifyRefusedClaim = async (
  db: Database,
  { turnId, step, scheduledAt, runId }: StepAttempt,
): Promise<StepClaim> => {
  const turn = await db
    .selectFrom('turns')
    .select(['status', 'claims', 'run_id'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  if (turn?.status !== 'running' || turn.run_id !== runId) return { kind: 'ended' };
  const newest = turn.claims[String(step)];
  if (newest && newest.scheduledAt > scheduledAt.getTime()) return { kind: 'superseded' };
  throw new Error(
    `Turn ${turnId}: step ${step} has been attempted ${MAX_STEP_ATTEMPTS} times, it has no epoch left.`,
  );
};
