import { sql, type Kysely } from 'kysely';

const turns = sql`
  create table turns (
    turn_id text primary key,
    project_id text not null,
    conversation_id text not null,
    request_hash text not null,
    start_input json not null,
    run_id text,
    claims jsonb not null default '{}',
    protocol text not null,
    mode text not null,
    model text not null,
    status text not null default 'running' check (status in ('running', 'completed', 'cancelled', 'failed')),
    reason text,
    terminal_id text,
    terminal_after text,
    terminal json,
    usage json,
    phase integer,
    cycle integer,
    waste json,
    content text,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    swept_at timestamptz,
    check (status = 'running' or (terminal is not null and ended_at is not null))
  )`;

/**
 * Allows one running turn per conversation. Sweepers read this index, too; it is short, since few turns run at a time.
 */
const oneRunning = sql`
  create unique index turns_one_running on turns (project_id, conversation_id) where status = 'running'`;

const chatMessages = sql`
  create table chat_messages (
    id bigint generated always as identity primary key,
    turn_id text references turns,
    request_id text,
    project_id text not null,
    conversation_id text not null,
    sender text not null check (sender in ('user', 'orion', 'system')),
    content text not null,
    metadata json not null,
    created_at timestamptz not null default now(),
    unique (turn_id, sender),
    unique (project_id, request_id)
  )`;

const byProject = sql`create index chat_messages_project on chat_messages (project_id, id)`;
const byConversation = sql`
  create index chat_messages_conversation on chat_messages (project_id, conversation_id, id)`;

const turnSegments = sql`
  create table turn_segments (
    turn_id text not null references turns,
    epoch integer not null,
    batches json not null,
    primary key (turn_id, epoch)
  )`;

const turnContexts = sql`
  create table turn_contexts (
    turn_id text not null references turns,
    step integer not null,
    messages json not null,
    primary key (turn_id, step)
  )`;

const toolExecutions = sql`
  create table tool_executions (
    turn_id text not null references turns,
    phase_index integer not null,
    position integer not null,
    tool_name text not null,
    arguments text not null,
    attempts integer not null default 1,
    result json,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (turn_id, phase_index, position)
  )`;

export const up = async (db: Kysely<unknown>): Promise<void> => {
  const tables = [turns, chatMessages, turnSegments, turnContexts, toolExecutions];
  for (const statement of [...tables, oneRunning, byProject, byConversation]) await statement.execute(db);
};
