import type { TraceRepository, TraceListQuery } from '../../../src/db/turns/trace-repository.ts';
import type { RawTrace } from '../../../src/trace/prepare-trace.ts';

/**
 * Traces in memory, in the order in which they happened. `describeTraceList` holds their list to that in Postgres. The
 * last query is kept, too.
 */
export class MemoryTraces implements Pick<TraceRepository, 'list'> {
  readonly #kept: (RawTrace & { readonly id: string })[] = [];
  asked: TraceListQuery | undefined;

  keep(trace: RawTrace): void {
    this.#kept.push({ ...trace, id: String(this.#kept.length + 1) });
  }

  list(query: TraceListQuery): ReturnType<TraceRepository['list']> {
    this.asked = query;
    const { projectId, requestId, type, source, limit, offset } = query;
    const matching = this.#kept.filter(
      (trace) =>
        trace.projectId === projectId &&
        (requestId === undefined || trace.requestId === requestId) &&
        (type === undefined || trace.type === type) &&
        (source === undefined || trace.source === source),
    );
    const end = Math.max(0, matching.length - offset);
    const page = matching.slice(Math.max(0, end - limit), end).map(eventOf);
    return Promise.resolve({ events: JSON.stringify(page), count: page.length, total: matching.length });
  }
}

/** Returns the trace as clients see it. */
const eventOf = ({ id, ...trace }: RawTrace & { readonly id: string }) => ({
  id,
  projectId: trace.projectId,
  requestId: trace.requestId,
  type: trace.type,
  source: trace.source,
  summary: trace.summary,
  details: trace.details ?? null,
  phaseIndex: trace.phaseIndex ?? null,
  cycleIndex: trace.cycleIndex ?? null,
  error: trace.error ?? null,
  metadata: trace.metadata ?? null,
  createdAt: (trace.at ?? new Date()).toISOString(),
});
