import { randomUUID } from 'node:crypto';
import { safeText } from '../contracts/values/safe-text.ts';
import type { TraceSource, TraceType } from '../contracts/turn/trace-event.ts';
import type { PreparedTrace } from '../db/turns/trace-repository.ts';
import { limitJson } from '../base/json/json-limit.ts';
import { shortenToJsonBytes } from '../base/json/json-text.ts';
import { toSafeJson } from '../base/json/safe-json.ts';
import { redact } from './redact.ts';
import { redactText } from './redact-text.ts';
import { KIB } from '../contracts/values/units.ts';

/**
 * A trace as it is reported. It may hold secrets and be of any size, since `prepareTrace` makes it fit for the store.
 */
export interface RawTrace {
  readonly projectId: string;
  /** Id of the turn; for a write session that no turn began, id of the session. */
  readonly requestId: string;
  readonly type: TraceType;
  readonly source: TraceSource;
  readonly summary: string;
  readonly details?: unknown;
  readonly phaseIndex?: number | undefined;
  readonly cycleIndex?: number | undefined;
  readonly error?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Name of the event within the turn, or within the session that no turn began. An event that is reported again has
   * the same name. Absent means that the event is new.
   */
  readonly key?: string | undefined;
  /**
   * Orders events of a turn whose times are equal. A repeat replaces the stored event only if its ordinal is higher
   * (`TraceRepository.store`). Absent means 0.
   */
  readonly ordinal?: number | undefined;
  /** Time of the event. Absent means now. */
  readonly at?: Date | undefined;
}

/** The largest size of details in the store, in bytes of UTF-8 (docs/tools.md). */
export const DETAILS_BYTES = 256 * KIB;
const METADATA_BYTES = 16 * KIB;
const SUMMARY_BYTES = 500;
const ERROR_BYTES = 4 * KIB;

/**
 * Returns a trace as it may be stored: redacted and bounded (docs/storage.md "Traces"). Throws on values whose fields
 * throw when they are read.
 */
export const prepareTrace = (trace: RawTrace): PreparedTrace => ({
  requestId: trace.requestId,
  projectId: trace.projectId,
  key: trace.key ?? randomUUID(),
  type: trace.type,
  source: trace.source,
  summary: lineOf(trace.summary, SUMMARY_BYTES),
  details: jsonText(trace.details, DETAILS_BYTES),
  phaseIndex: trace.phaseIndex ?? null,
  cycleIndex: trace.cycleIndex ?? null,
  error: trace.error === undefined ? null : lineOf(trace.error, ERROR_BYTES),
  metadata: jsonText(trace.metadata, METADATA_BYTES),
  ordinal: trace.ordinal ?? 0,
  at: trace.at ?? new Date(),
});

const lineOf = (text: string, bytes: number): string => shortenToJsonBytes(redactText(safeText(text)), bytes);

const jsonText = (value: unknown, bytes: number): string | null =>
  value === undefined ? null : JSON.stringify(limitJson(redact(toSafeJson(value)), bytes));
