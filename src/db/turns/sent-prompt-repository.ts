import { sql } from 'kysely';
import type { LeftOut } from '../../contracts/model/left-out.ts';
import type { SentStep } from '../../contracts/model/sent-step.ts';
import type { Database } from '../connection/database.ts';
import { leftOutUpTo } from './step-left-out.ts';

/** The stored parts of the prompt of a model call. */
export interface StoredPrompt {
  /** The turn with which the prompt begins. Null if the turn's own steps hold all of it. */
  readonly anchorTurnId: string | null;
  readonly summaryTurnId: string | null;
  /** The turn's own messages, without those of withdrawn steps; the last step is the requested one. */
  readonly steps: readonly SentStep[];
  /** What the prompt of the call's last attempt left out. Null if nothing. */
  readonly leftOut: LeftOut | null;
}

/** Prompts of model calls that were made. */
export interface SentPromptRepository {
  /**
   * Finds the prompt of the model call `step`. Returns undefined when the turn has made no such call, or when its
   * prompts are no longer kept.
   */
  find(turnId: string, step: number): Promise<StoredPrompt | undefined>;
}

/** Creates the repository of sent prompts in Postgres, which reads `turn_contexts` and the rows of turns. */
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
