import type { ChatMessagesTable, ConversationsTable } from './conversation-tables.ts';
import type { InputRequestsTable, ReplyContentsTable } from './input-tables.ts';
import type { OutboxTable } from './outbox-tables.ts';
import type { CallSpendTable, SpendTable } from './spend-tables.ts';
import type { TraceEventsTable } from './trace-tables.ts';
import type {
  ConversationSummariesTable,
  FileChangesTable,
  ToolExecutionsTable,
  TurnContextsTable,
  TurnSegmentsTable,
  TurnTranscriptsTable,
} from './turn-parts-tables.ts';
import type { TurnsTable } from './turn-tables.ts';
import type { StoredBytesTable, WriteSessionsTable } from './write-session-tables.ts';

/** All tables by name, with the columns that queries of the query builder use. */
export interface DatabaseSchema {
  outbox: OutboxTable;
  stored_bytes: StoredBytesTable;
  spend: SpendTable;
  call_spend: CallSpendTable;
  write_sessions: WriteSessionsTable;
  trace_events: TraceEventsTable;
  turns: TurnsTable;
  chat_messages: ChatMessagesTable;
  conversations: ConversationsTable;
  turn_segments: TurnSegmentsTable;
  turn_contexts: TurnContextsTable;
  turn_transcripts: TurnTranscriptsTable;
  conversation_summaries: ConversationSummariesTable;
  tool_executions: ToolExecutionsTable;
  input_requests: InputRequestsTable;
  reply_contents: ReplyContentsTable;
  file_changes: FileChangesTable;
}
