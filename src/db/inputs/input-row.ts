import type { Selectable } from 'kysely';
import type { InputSubject, StoredResolution } from '../../contracts/inputs/input-request.ts';
import type { InputKind, ReplyName } from '../../contracts/wire/input-events.ts';
import type { Database } from '../connection/database.ts';
import type { InputRequestsTable } from '../tables/input-tables.ts';

/** A request as it is stored, before a person is asked. */
export interface NewInputRequest {
  readonly turnId: string;
  readonly n: number;
  readonly kind: InputKind;
  readonly request: InputSubject;
  /** Hash that an approval names. Null if there is nothing to approve. */
  readonly argsHash: string | null;
  readonly diff: string | null;
}

/** The stored part of a request that some attempt has prepared. */
export type PreparedInputRow = Pick<NewInputRequest, 'request' | 'argsHash' | 'diff'>;

/** A request that was announced, or was resolved before that. */
export interface InputRow extends NewInputRequest {
  readonly projectId: string;
  readonly conversationId: string;
  readonly state: 'open' | 'closed';
  readonly message: string;
  readonly default: ReplyName;
  /** The resolution of the request. Null while the request is open, and if the end of its turn closed it. */
  readonly resolution: StoredResolution | null;
  readonly expiresAt: Date;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

/** The columns that lists show. They leave out the diff, which may have 256 Ki characters. */
const LISTED_COLUMNS = [
  'input_requests.turn_id',
  'n',
  'kind',
  'request',
  'args_hash',
  'state',
  'message',
  'default_reply',
  'expires_at',
  'resolution',
  'input_requests.created_at',
  'opened_at',
  'input_requests.closed_at',
] as const;

/**
 * Returns the query for requests with their projects and conversations, without their diffs. The caller adds the
 * condition that they were announced.
 */
export const inputsWithTurns = (db: Database) =>
  db
    .selectFrom('input_requests')
    .innerJoin('turns', 'turns.turn_id', 'input_requests.turn_id')
    .select([...LISTED_COLUMNS])
    .select(['turns.project_id', 'turns.conversation_id']);

type StoredInput = Omit<Selectable<InputRequestsTable>, 'session_id'> & {
  readonly project_id: string;
  readonly conversation_id: string;
};

/** Returns a request as the rest of the code has it, from its row and columns of its turn's row. */
export const toInputRow = (row: StoredInput): InputRow => ({
  turnId: row.turn_id,
  n: row.n,
  projectId: row.project_id,
  conversationId: row.conversation_id,
  kind: row.kind,
  request: row.request,
  argsHash: row.args_hash,
  diff: row.diff,
  state: row.state === 'closed' ? 'closed' : 'open',
  // A request that was resolved before it was announced has no message, default, expiry or time of opening.
  message: row.message ?? '',
  default: row.default_reply ?? 'deny',
  resolution: row.resolution,
  expiresAt: row.expires_at ?? row.created_at,
  openedAt: row.opened_at ?? row.created_at,
  closedAt: row.closed_at,
});
