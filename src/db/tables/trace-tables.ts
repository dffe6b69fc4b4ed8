import type { ColumnType, Generated } from 'kysely';
import type { TraceSource, TraceType } from '../../contracts/turn/trace-event.ts';
import type { JsonOrNull, Timestamp } from './column-types.ts';

export interface TraceEventsTable {
  id: Generated<string>;
  turn_id: string;
  key: string;
  project_id: string;
  type: TraceType;
  source: TraceSource;
  summary: string;
  details: JsonOrNull<unknown>;
  phase_index: number | null;
  cycle_index: number | null;
  error: string | null;
  metadata: JsonOrNull<Record<string, unknown>>;
  /** Order within the turn, where times are equal; the driver gives bigint as text. */
  ordinal: ColumnType<string, number | undefined, number>;
  created_at: Timestamp;
}
