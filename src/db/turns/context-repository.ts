import { sql } from 'kysely';
import type { ToldSurroundings } from '../../contracts/told-surroundings.ts';
import type { ModelMessage } from '../../contracts/model-message.ts';
import { attemptEpoch, workflowEpoch } from '../../contracts/wire/event-id.ts';
import type { Database } from '../connection/database.ts';
import { withOwnCallIds } from './call-ids.ts';

/** An attempt of a model call that asks for its epoch and its prompt. */
export interface StepAttempt {
  readonly turnId: string;
  /** 1, 2, …: number of the model call. */
  readonly step: number;
  /** When Temporal scheduled this attempt: tells an attempt from its zombies, as attempt numbers can go back. */
  readonly scheduledAt: Date;
  readonly runId: string;
  /** The messages that are new since the last step. */
  readonly messages: readonly ModelMessage[];
  /** Earlier steps whose messages are left out. */
  readonly withdrawn?: readonly number[] | undefined;
  /** Builds the beginning of the turn, asked in step 1; later attempts keep what the first one was given. */
  readonly begin: () => Promise<TurnBeginning>;
}

/** The decisions that hold for all model calls of a turn. */
export interface TurnBeginning {
  /** The turn with which its prompt begins. */
  readonly anchorTurnId: string;
  /** The last turn of the summary with which its prompt begins; null: it begins with none. */
  readonly summaryTurnId: string | null;
  /** Put before the user's message, in one message with it. */
  readonly preface: string;
  /** The state of the workspace that the preface, and those before it in the prompt, tell. */
  readonly told: ToldSurroundings;
}

/**
 * `claimed`: write under `epoch`, with the messages of all steps up to this one. `superseded`: an attempt of
 * this step that was scheduled later has claimed. `ended`: the turn is not running (or unknown), or another run has
 * it.
 */
export type StepClaim =
  | {
      readonly kind: 'claimed';
      readonly epoch: number;
      /**
       * The turn with which prompts begin; null: this turn was begun by a release whose first step holds all that comes
       * before the user's message.
       */
      readonly anchorTurnId: string | null;
      readonly summaryTurnId: string | null;
      readonly messages: ModelMessage[];
    }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'ended' };

/** Prompts of a turn by step, and the epochs under which attempts may write (docs/events.md). */
export interface ContextRepository {
  /** Throws when the step has no epoch left, after 98 claims. */
  beginStep(attempt: StepAttempt): Promise<StepClaim>;
}

/** Claims and prompts in Postgres: `turn_contexts`, one row for each step of a turn. */
export const createContextRepository = (db: Database): ContextRepository => ({
  async beginStep(attempt) {
    // A later attempt builds the beginning again for nothing: the claim keeps what is stored, whatever it is given.
    const beginning = attempt.step === 1 ? await attempt.begin() : undefined;
    const claim = await claimStep(db, attempt, beginning);
    return claim ? claimed(attempt, claim) : refusedClaim(db, attempt);
  },
});

const messagesToStore = (
  { turnId, step, messages }: StepAttempt,
  preface: string | undefined,
): ModelMessage[] => {
  const own = withOwnCallIds(messages, { turnId, step });
  const [first, ...others] = own;
  if (preface === undefined || first?.role !== 'user') return own;
  return [{ role: 'user', content: preface + first.content }, ...others];
};

interface Claim {
  readonly epoch: number;
  readonly anchor: string | null;
  readonly summary: string | null;
  readonly lists: ModelMessage[][];
}

/**
 * One statement claims the epoch, keeps the first attempt's messages and loads those of all steps (docs/events.md
 * "Ids"). Attempts at the same moment queue up on the turn's row, and each sees the claim of the one
 * before. Only the newest claim of a step is kept: none is granted to an attempt scheduled before it, so it also
 * has the highest epoch.
 */
const claimStep = async (
  db: Database,
  attempt: StepAttempt,
  beginning: TurnBeginning | undefined,
): Promise<Claim | undefined> => {
  const { turnId, step, scheduledAt, runId, withdrawn = [] } = attempt;
  const messages = JSON.stringify(messagesToStore(attempt, beginning?.preface));
  const told = beginning ? JSON.stringify(beginning.told) : null;
  const previous = (field: 'epoch' | 'scheduledAt') =>
    sql`(claims #>> array[${String(step)}, ${field}])::bigint`;
  const next = sql`coalesce(${previous('epoch')} + 1, ${attemptEpoch(step, 1)})`;
  const { rows } = await sql<Claim>`
    with claim as (
      update turns set
        run_id = coalesce(run_id, ${runId}),
        ${beginningOnce(beginning)},
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
      select ${turnId}, ${step}, ${messages}::json, ${told}::json, ${[...withdrawn]}::integer[] from claim
      on conflict (turn_id, step) do update set messages = turn_contexts.messages
      returning step, messages
    )
    select claim.epoch, claim.anchor, claim.summary, (
      select json_agg(context.messages order by context.step) from (
        select step, messages from turn_contexts
        where turn_id = ${turnId} and step < ${step} and not step = any(${[...withdrawn]}::integer[])
        union all select step, messages from stored
      ) context
    ) as lists
    from claim`.execute(db);
  return rows[0];
};

/** The columns that the first claim decides: with which turn, and with which summary, the prompt begins. */
const beginningOnce = (beginning: TurnBeginning | undefined) => sql`
  anchor_turn_id = coalesce(anchor_turn_id, ${beginning?.anchorTurnId ?? null}),
  summary_turn_id = case when anchor_turn_id is null
    then ${beginning?.summaryTurnId ?? null}::text else summary_turn_id end`;

const claimed = (
  { turnId, step, withdrawn = [] }: StepAttempt,
  { epoch, anchor, summary, lists }: Claim,
): StepClaim => {
  if (lists.length !== step - withdrawn.length) {
    throw new Error(`Turn ${turnId}: expected the contexts of steps 1 to ${step}, found ${lists.length}.`);
  }
  return { kind: 'claimed', epoch, anchorTurnId: anchor, summaryTurnId: summary, messages: lists.flat() };
};

const refusedClaim = async (
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
  throw new Error(`Turn ${turnId}: step ${step} has been attempted 98 times, it has no epoch left.`);
};
