import { sql } from 'kysely';
import { messageTokens } from '../../base/text/message-tokens.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { ReplacedText } from '../../contracts/write-session/write-session.ts';
import type { LoggedEvent } from '../../protocol/event-log/event-log.ts';
import { type RecordedExecution, turnTranscript } from '../../protocol/turn/turn-transcript.ts';
import type { Database } from '../connection/database.ts';
import { withOrionCallIds } from './call-ids.ts';

/** What the process that ends a turn knows about it, in addition to its stored rows. */
interface TranscriptSource {
  readonly turnId: string;
  readonly list: readonly LoggedEvent[];
  readonly replaced: readonly ReplacedText[];
}

/**
 * Stores the transcript of an ending turn, as part of the transaction that ends it. Stores nothing when
 * `turnTranscript` returns none.
 */
export const storeTranscript = async (
  trx: Database,
  { turnId, list, replaced }: TranscriptSource,
): Promise<void> => {
  const { toolResultRole, contexts, ledger } = await loadStored(trx, turnId);
  const withdrawn = new Set(contexts.at(-1)?.withdrawn ?? []);
  const steps = contexts.filter(({ step }) => !withdrawn.has(step));
  const transcript = turnTranscript({ steps, list, ledger, replaced, toolResultRole });
  if (transcript === undefined) return;
  // The messages after the last model call get the ids that they would have had as messages of a next call.
  const rest = withOrionCallIds(transcript.rest, { turnId, step: contexts.length + 1 });
  const messages = [...transcript.sent, ...rest];
  await sql`
    insert into turn_transcripts (turn_id, messages, tokens, told)
    select ${turnId}, ${JSON.stringify(messages)}::json, ${messages.map(messageTokens)}::integer[],
      (select told from turn_contexts where turn_id = ${turnId} and step = 1)
    on conflict do nothing`.execute(trx);
};

interface StoredTurn {
  readonly toolResultRole: 'tool' | 'system';
  readonly contexts: readonly {
    readonly step: number;
    readonly messages: readonly ModelMessage[];
    readonly withdrawn: readonly number[] | null;
  }[];
  readonly ledger: readonly RecordedExecution[];
}

/** Reads the stored parts of a transcript in one statement, because the end of a turn waits for it. */
const loadStored = async (trx: Database, turnId: string): Promise<StoredTurn> => {
  const { rows } = await sql<StoredTurn>`
    select start_input ->> 'toolResultRole' as "toolResultRole", (
      select coalesce(json_agg(json_build_object(
        'step', step, 'messages', messages, 'withdrawn', withdrawn) order by step), '[]')
      from turn_contexts context where context.turn_id = turn.turn_id
    ) as contexts, (
      select coalesce(json_agg(json_build_object(
        'phaseIndex', phase_index, 'toolName', tool_name, 'arguments', arguments, 'result', result)
        order by phase_index, position), '[]')
      from tool_executions execution where execution.turn_id = turn.turn_id
    ) as ledger
    from turns turn where turn_id = ${turnId}`.execute(trx);
  const [stored] = rows;
  if (!stored) throw new Error(`There is no turn "${turnId}" to make a transcript of.`);
  return stored;
};
