import { sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { Database } from '../connection/database.ts';
import { MIB } from '../../contracts/values/units.ts';

/** The words of a search, and the branch to search. */
export interface RecallQuery {
  /** The turn before which messages are searched, along the chain of parents. */
  readonly turnId: string;
  readonly projectId: string;
  /** Words to look for, in lower case, each once. */
  readonly words: readonly string[];
  readonly limit: number;
}

/** A message, or the result of a tool, that contains some of the words. */
export interface RecalledText {
  readonly turnId: string;
  readonly startedAt: Date;
  readonly kind: 'user' | 'orion' | 'system' | 'result';
  readonly content: string;
  /** The call whose result this is. Null for a message, and for a result whose call is not kept. */
  readonly call: { readonly name: string; readonly arguments: string } | null;
}

/**
 * The texts that fit the search, best first. `searchedTurns` is the number of turns that were searched, and `isWhole`
 * is true if the branch has no others.
 */
export interface RecallResult {
  readonly texts: readonly RecalledText[];
  readonly searchedTurns: number;
  readonly isWhole: boolean;
}

/** Searches the earlier messages and results of a branch, also those that prompts leave out. */
export interface RecallRepository {
  recall(query: RecallQuery): Promise<RecallResult>;
}

/**
 * Largest numbers of turns, and of bytes of their text, that one search reads, newest first. Such a search stays far
 * below the query limit of the pool.
 */
const MAX_TURNS = 2_000;
const MAX_BYTES = 4 * MIB;
/** Number of the best texts that are then searched for whole words. */
const MAX_CANDIDATES = 50;
/** Number of characters at the beginning of each of these texts in which whole words count. */
const MAX_CANDIDATE_CHARACTERS = 20_000;

/** Creates the search in Postgres, over `chat_messages` and the results in `turn_transcripts`. */
export const createRecallRepository = (db: Database): RecallRepository => ({
  async recall({ turnId, projectId, words, limit }) {
    const { rows } = await sql<{ searched: number; whole: boolean; found: StoredRecall[] | null }>`
      with recursive ${branchCtes(turnId, projectId)}, ${FINDABLE_TEXTS}, ${rankingCtes(words)}
      select (select count(*) from near)::integer as searched,
        (select count(*) from near) = (select count(*) from chain) and
          not exists (select from chain where depth = ${sql.lit(MAX_TURNS)} and parent_turn_id is not null)
          as whole,
        (select json_agg(to_json(best)) from (
          select turn_id, started_at, kind, content, ${TOOL_CALL} as call
          from ranked order by score desc, depth, n limit ${limit}
        ) best) as found`.execute(db);
    const [row] = rows;
    return {
      texts: (row?.found ?? []).map(toRecalled),
      searchedTurns: row?.searched ?? 0,
      isWhole: row?.whole ?? true,
    };
  },
});

interface StoredRecall {
  readonly turn_id: string;
  readonly started_at: string;
  readonly kind: RecalledText['kind'];
  readonly content: string;
  readonly call: RecalledText['call'];
}

const toRecalled = ({ turn_id, started_at, kind, content, call }: StoredRecall): RecalledText => ({
  turnId: turn_id,
  startedAt: new Date(started_at),
  kind,
  content,
  call,
});

/**
 * Returns common table expressions. `chain` has the turns before this one. `near` has the newest of them, as many as
 * together have at most `MAX_BYTES` of text, and at least one.
 */
const branchCtes = (turnId: string, projectId: string) => sql`
  chain as (
    select parent.turn_id, parent.parent_turn_id, parent.started_at, 1 as depth
    from turns own join turns parent on parent.turn_id = own.parent_turn_id
    where own.turn_id = ${turnId} and own.project_id = ${projectId} and parent.project_id = ${projectId}
    union all
    select turns.turn_id, turns.parent_turn_id, turns.started_at, depth + 1
    from chain join turns on turns.turn_id = chain.parent_turn_id
    where depth < ${sql.lit(MAX_TURNS)} and turns.project_id = ${projectId}
  ), near as (
    select turn_id, started_at, depth from (
      select chain.*, sum(coalesce(spoken, 0) + coalesce(result, 0)) over (order by depth) as bytes
      from chain left join lateral (
        select sum(octet_length(content)) as spoken from chat_messages where turn_id = chain.turn_id
      ) spoken on true left join lateral (
        select sum(one) * ${sql.lit(CHARACTERS_PER_TOKEN)} as result from turn_transcripts transcript, unnest(tokens) one
        where transcript.turn_id = chain.turn_id
      ) result on true
    ) sized where bytes <= ${sql.lit(MAX_BYTES)} or depth = 1
  )`;

/**
 * The texts that can be found: messages, and what tools returned. A result may be a system message that begins with a
 * rule of `═`. The surroundings that prompts add are left out.
 */
const FINDABLE_TEXTS = sql`
  said as materialized (
    select turn_id, started_at, depth, sender as kind, id as n, content, null as call_id, lower(content) as text
    from near join chat_messages using (turn_id) where content <> ''
    union all
    select turn_id, started_at, depth, 'result', position, message ->> 'content', message ->> 'tool_call_id',
      lower(message ->> 'content')
    from near join turn_transcripts using (turn_id),
      json_array_elements(messages) with ordinality as entry(message, position)
    where message ->> 'role' = 'tool' or message ->> 'role' = 'system' and message ->> 'content' like '═%'
  )`;

/**
 * Returns common table expressions that rank the texts. A word is worth more the fewer texts contain it, and counts
 * twice where it is a whole word.
 */
const rankingCtes = (words: readonly string[]) => sql`
  word as (select word from unnest(${[...words]}::text[]) word),
  hit as materialized (
    select turn_id, kind, n, word from said join word on strpos(text, word) > 0
  ), worth as (
    select word, ln(1 + (select count(*) from said)::float / count(*)) as worth from hit group by word
  ), candidate as (
    select turn_id, kind, n, sum(worth) as score from hit join worth using (word)
    group by turn_id, kind, n order by score desc, n desc limit ${sql.lit(MAX_CANDIDATES)}
  ), told as materialized (
    select said.*, candidate.score,
      to_tsvector('simple', left(content, ${sql.lit(MAX_CANDIDATE_CHARACTERS)})) as lexemes
    from candidate join said using (turn_id, kind, n)
  ), ranked as (
    select turn_id, started_at, depth, kind, n, content, call_id, score + (
      select coalesce(sum(worth), 0) from worth where lexemes @@ plainto_tsquery('simple', word)
    ) as score
    from told
  )`;

const TOOL_CALL = sql`(
  select call -> 'function' from turn_transcripts transcript,
    json_array_elements(transcript.messages) message, json_array_elements(message -> 'tool_calls') call
  where ranked.kind = 'result' and transcript.turn_id = ranked.turn_id
    and json_typeof(message -> 'tool_calls') = 'array' and call ->> 'id' = ranked.call_id
  limit 1)`;
