import { sql } from 'kysely';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { Database } from '../connection/database.ts';
import { leftOutUpTo, type SentStep } from './context-repository.ts';

/** What is kept of the prompt of a model call. */
export interface StoredPrompt {
  /** The turn with which the prompt begins. Null if the turn's own steps hold all of it. */
  readonly anchorTurnId: string | null;
  readonly summaryTurnId: string | null;
  /** The turn's own messages, without those of withdrawn steps; the last step is the requested one. */
  readonly steps: readonly SentStep[];
  /** What the prompt of its last attempt left out. Null for nothing. */
  readonly leftOut: LeftOut | null;
}

/** Prompts of model calls that were made. */
export interface SentPromptRepository {
  /**
   * Finds a prompt. Returns undefined when the turn has made no such call, or what its calls were sent is no longer
   * kept.
   */
  find(turnId: string, step: number): Promise<StoredPrompt | undefined>;
}

/** Prompts in Postgres: `turn_contexts`, and what their turn's row says of its beginning. */
export const createSentPromptRepository = (db: Database): SentPromptRepository => ({
  find: async (turnId, step) => {
    const { rows } = await sql<StoredPrompt>`
      select turn.anchor_turn_id as "anchorTurnId", turn.summary_turn_id as "summaryTurnId",
        ${leftOutUpTo({ turnId, step })} as "leftOut", (
          select json_agg(json_build_object('step', before.step, 'messages', before.messages) order by before.step)
          from turn_contexts before
          where before.turn_id = asked.turn_id and before.step <= asked.step
            and not before.step = any(coalesce(asked.withdrawn, '{}'))
        ) as steps
      from turn_contexts asked join turns turn using (turn_id)
      where asked.turn_id = ${turnId} and asked.step = ${step}`.execute(db);
    return rows[0];
  },
});
