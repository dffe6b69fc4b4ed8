import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { TraceSource, TraceType } from '../../contracts/turn/trace-event.ts';
import type { Database } from '../connection/database.ts';
import { idsOfPage } from '../connection/page-bytes.ts';

/** A trace that is fit to be stored: without secrets, bounded, and without anything that Postgres cannot hold. */
export interface PreparedTrace {
  readonly requestId: string;
  /** Key of the trace within its turn. A trace that is stored again has the same key. */
  readonly key: string;
  readonly projectId: string;
  readonly type: TraceType;
  readonly source: TraceSource;
  readonly summary: string;
  /** The details as JSON text. */
  readonly details: string | null;
  readonly phaseIndex: number | null;
  readonly cycleIndex: number | null;
  readonly error: string | null;
  /** The metadata as JSON text. */
  readonly metadata: string | null;
  readonly ordinal: number;
  readonly at: Date;
}

/** Says which traces of a project are listed, and which page of them. An absent field selects any trace. */
export interface TraceListQuery {
  readonly projectId: string;
  /** Id of a turn, or of a write session if no turn began it. */
  readonly requestId?: string | undefined;
  readonly type?: TraceType | undefined;
  readonly source?: TraceSource | undefined;
  readonly limit: number;
  /** Number of traces to skip, counted from the newest. */
  readonly offset: number;
}

/** A page of trace events, as Postgres has put it together. */
export interface TracePage {
  /**
   * JSON text of a list of `TraceEvent`, made by Postgres: parsing and writing it again here would take three times as
   * long, on an event loop that carries the streams of all turns.
   */
  readonly events: string;
  /** Number of events in `events`. */
  readonly count: number;
  /** Number of all events that match the query. */
  readonly total: number;
}

/** The traces of turns, as `GET /api/trace/logs` shows them. */
export interface TraceRepository {
  /**
   * Stores traces, one for each key of a turn. Only a higher ordinal replaces a stored trace, as when a new attempt
   * repeats what a lost one recorded.
   */
  store(traces: readonly PreparedTrace[]): Promise<void>;
  /**
   * Lists the newest `limit` events after skipping the newest `offset`, or as many of them as fit in `PAGE_BYTES`. The
   * page has at least one event if there is one. The page begins with its oldest event.
   */
  list(query: TraceListQuery): Promise<TracePage>;
}

/** Creates the repository of traces in Postgres: `trace_events`, one row for each key of a turn. */
export const createTraceRepository = (db: Database): TraceRepository => ({
  store: (traces) => storeTraces(db, traces),
  list: (query) => listTraces(db, query),
});

/** Stores traces as `TraceRepository.store` does. May be part of a transaction. */
export const storeTraces = async (db: Database, traces: readonly PreparedTrace[]): Promise<void> => {
  // Postgres refuses an `on conflict do update` that meets the same row twice, so only the last trace of a key is
  // stored.
  const byKey = new Map(traces.map((trace) => [JSON.stringify([trace.requestId, trace.key]), trace]));
  if (byKey.size === 0) return;
  await db
    .insertInto('trace_events')
    .values([...byKey.values()].map(toRow))
    .onConflict((conflict) =>
      conflict
        .columns(['turn_id', 'key'])
        .doUpdateSet(({ ref }) => ({
          summary: ref('excluded.summary'),
          details: ref('excluded.details'),
          error: ref('excluded.error'),
          metadata: ref('excluded.metadata'),
          ordinal: sql<number>`excluded.ordinal`,
          created_at: ref('excluded.created_at'),
        }))
        .whereRef('excluded.ordinal', '>', 'trace_events.ordinal'),
    )
    .execute();
};

const toRow = (trace: PreparedTrace) => ({
  turn_id: trace.requestId,
  key: trace.key,
  project_id: trace.projectId,
  type: trace.type,
  source: trace.source,
  summary: trace.summary,
  details: trace.details,
  phase_index: trace.phaseIndex,
  cycle_index: trace.cycleIndex,
  error: trace.error,
  metadata: trace.metadata,
  ordinal: trace.ordinal,
  created_at: trace.at,
});

const listTraces = async (
  db: Database,
  { projectId, requestId, type, source, limit, offset }: TraceListQuery,
): Promise<TracePage> => {
  const matching = db.selectFrom('trace_events').where(({ eb, and }) => {
    const conditions: Expression<SqlBool>[] = [eb('project_id', '=', projectId)];
    if (requestId !== undefined) conditions.push(eb('turn_id', '=', requestId));
    if (type !== undefined) conditions.push(eb('type', '=', type));
    if (source !== undefined) conditions.push(eb('source', '=', source));
    return and(conditions);
  });
  const newest = matching
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('ordinal', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const page = idsOfPage({ table: 'trace_events', candidates: newest, order: NEWEST_FIRST, weight: WEIGHT });
  const window = await db
    .selectFrom(db.selectNoFrom(jsonArrayFrom(shownEvents(db, page)).as('events')).as('page'))
    .select([sql<string>`events::text`.as('events'), sql<number>`json_array_length(events)`.as('count')])
    .select(matching.select(({ fn }) => fn.countAll<string>().as('total')).as('total'))
    .executeTakeFirstOrThrow();
  return { ...window, total: Number(window.total) };
};

/** Returns the query for the events as clients see them, oldest first. */
const shownEvents = (db: Database, ids: RawBuilder<unknown>) =>
  db
    .selectFrom('trace_events')
    .where('id', 'in', sql<string>`(${ids})`)
    .select(['project_id as projectId', 'turn_id as requestId', 'type', 'source', 'summary', 'details'])
    .select(['phase_index as phaseIndex', 'cycle_index as cycleIndex', 'error', 'metadata'])
    .select([sql`id::text`.as('id'), CREATED_AT.as('createdAt')])
    .orderBy('created_at')
    .orderBy('ordinal')
    .orderBy('trace_events.id');

const NEWEST_FIRST = sql`created_at desc, ordinal desc, id desc`;
const WEIGHT = sql`octet_length(summary) + coalesce(octet_length(error), 0)
  + coalesce(octet_length(details::text), 0) + coalesce(octet_length(metadata::text), 0)`;

/** ISO 8601, as `Date` writes it. */
const CREATED_AT = sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
