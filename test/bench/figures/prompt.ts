import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createContextService, type ContextService } from '../../../src/context/context-service.ts';
import { describeSurroundings } from '../../../src/context/surroundings.ts';
import { loadSystemPrompt } from '../../../src/context/system-prompt.ts';
import { openDatabase, type Database } from '../../../src/db/database.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { migrateDatabase } from '../../../src/db/migrate.ts';
import { insertTurn } from '../../../src/db/turns/turn-insert.ts';
import { findFreePort } from '../../../src/stack/servers/ports.ts';
import { postgresReady, preparePostgres } from '../../../src/stack/servers/postgres-server.ts';
import { openWorkspace } from '../../../src/files/workspace/workspace.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';
import type { Figure } from '../figure.ts';
import { BenchProcesses } from '../processes.ts';
import { shuffle } from '../random.ts';
import { rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const MESSAGES = { short: 20, long: 10_000 };
const MESSAGE_BYTES = 2_000;
const FILES = 500;
const RUNS = { full: 200, quick: 10 };
/** Milliseconds. */
const BAR = 20;
const READY_TIMEOUT_MS = 60_000;

const startPostgres = async (processes: BenchProcesses): Promise<string> => {
  const { dir: dataDir } = processes;
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const port = await findFreePort();
  const { spec, url, place } = await preparePostgres({ dataDir, port, env: process.env, log });
  await postgresReady(await processes.start(spec), place.cluster, READY_TIMEOUT_MS);
  return url;
};

/** A conversation of so many messages, and the turn that now begins in it; named by its turn. */
const fillConversation = async (db: Database, turnId: string, messages: number): Promise<void> => {
  const input = turnInput(turnId);
  await sql`
    insert into chat_messages (project_id, conversation_id, sender, content, metadata)
    select ${input.projectId}, ${input.conversationId},
      case when i % 2 = 0 then 'orion' else 'user' end, rpad(i::text, ${MESSAGE_BYTES}, ' word'), '{}'
    from generate_series(1, ${messages}) i`.execute(db);
  await insertTurn(db, input, 'hash', userMessage);
};

const fillWorkspace = async (root: string): Promise<void> => {
  for (let i = 0; i < FILES; i += 1) {
    const folder = join(root, `folder${i % 20}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file${i}.ts`), '');
  }
};

type Arm = () => Promise<unknown>;

const buildArm =
  (context: ContextService, turnId: string): Arm =>
  async () => {
    const { projectId, conversationId, mode } = turnInput(turnId);
    const messages = await context.buildContext(projectId, conversationId, { turnId, mode });
    if (messages.length < 20) throw new Error(`expected a history, received ${messages.length} messages`);
  };

const measureArms = async (
  arms: Readonly<Record<string, Arm>>,
  runs: number,
  random: () => number,
): Promise<Map<string, number[]>> => {
  const samples = new Map(Object.keys(arms).map((name) => [name, [] as number[]]));
  // The first round connects and plans.
  for (let run = -1; run < runs; run += 1) {
    for (const [name, arm] of shuffle(Object.entries(arms), random)) {
      const startedAt = performance.now();
      await arm();
      if (run >= 0) samples.get(name)?.push(performance.now() - startedAt);
    }
  }
  return samples;
};

const openArms = async (url: string, root: string) => {
  // The limit of a server's queries is not for filling a database.
  const { db, close } = openDatabase(url, { queryTimeoutMs: READY_TIMEOUT_MS });
  await migrateDatabase(db);
  for (const [turnId, messages] of Object.entries(MESSAGES)) await fillConversation(db, turnId, messages);
  await fillWorkspace(root);
  const workspace = await openWorkspace({ root, projectFolders: false });
  const context = createContextService({
    prompt: await loadSystemPrompt(),
    surroundings: describeSurroundings(workspace),
    history: createMessageRepository(db).history,
    historyLimit: 20,
  });
  const arms: Record<string, Arm> = {
    'select 1': () => sql`select 1`.execute(db),
    [`prompt, ${MESSAGES.short} stored messages`]: buildArm(context, 'short'),
    [`prompt, ${MESSAGES.long} stored messages`]: buildArm(context, 'long'),
  };
  return { arms, close: () => Promise.all([workspace.close(), close()]) };
};

/** Beside the shortest conversation and the bare way to Postgres and back: what a long one costs. */
export const prompt: Figure = {
  name: 'prompt',
  title: 'Prompt of a turn: system prompt, workspace outline, last 20 messages (ms)',
  async measure({ quick, random }) {
    const processes = await BenchProcesses.open();
    try {
      const { arms, close } = await openArms(
        await startPostgres(processes),
        join(processes.dir, 'workspace'),
      );
      const samples = await measureArms(arms, quick ? RUNS.quick : RUNS.full, random);
      await close();
      const rows = [...samples].map(([name, values]) => ({ name, ...summarize(values) }));
      return {
        columns: ['arm', 'N', 'p50', 'p95', 'p99'],
        rows: rows.map(({ name, n, p50, p95, p99 }) => [name, String(n), ...[p50, p95, p99].map(rounded)]),
        checks: rows
          .filter(({ name }) => name.includes(String(MESSAGES.long)))
          .map(({ name, p50 }) => ({
            what: `${name}, p50`,
            value: p50,
            bar: BAR,
            side: 'at most',
            unit: ' ms',
          })),
      };
    } finally {
      await processes.stop();
    }
  },
};
