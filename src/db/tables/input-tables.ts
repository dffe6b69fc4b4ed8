import type { ColumnType, Generated } from 'kysely';
import type { InputSubject, StoredResolution } from '../../contracts/inputs/input-request.ts';
import type { InputKind, ReplyName } from '../../contracts/wire/input-events.ts';
import type { Json, Timestamp } from './column-types.ts';

export interface InputRequestsTable {
  turn_id: string;
  /** Number of the request in its turn: 1, 2, … */
  n: number;
  kind: InputKind;
  request: Json<InputSubject>;
  args_hash: string | null;
  /** Id of the write session about whose commit a person is asked. Null for any other request. */
  session_id: Generated<string | null>;
  diff: string | null;
  state: Generated<'prepared' | 'open' | 'closed'>;
  message: Generated<string | null>;
  default_reply: Generated<ReplyName | null>;
  expires_at: ColumnType<Date | null, Date | undefined, Date>;
  resolution: ColumnType<StoredResolution | null, string | undefined, string>;
  created_at: Timestamp;
  opened_at: ColumnType<Date | null, Date | undefined, Date>;
  closed_at: ColumnType<Date | null, Date | undefined, Date>;
}

/** The texts of replies that are too long for the history of a workflow, by their hash. */
export interface ReplyContentsTable {
  turn_id: string;
  sha256: string;
  content: string;
}
