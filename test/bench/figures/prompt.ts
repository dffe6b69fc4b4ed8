import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createPromptService, type PromptService } from '../../../src/prompts/prompt-service.ts';
import { wholePrompt } from '../../../src/prompts/whole-prompt.ts';
import { createReadSurroundings } from '../../../src/prompts/surroundings.ts';
import { loadSystemPrompt } from '../../../src/prompts/system-prompt.ts';
import type { Database } from '../../../src/db/connection/database.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { insertTurn } from '../../../src/db/turns/turn-insert.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';
import type { Figure } from '../figure.ts';
import { fillConversation } from '../long-conversation.ts';
import { openTables, startPostgres } from '../own-stack.ts';
import { BenchProcesses } from '../processes.ts';
import { shuffle } from '../../support/random.ts';
import { rounded } from '../report.ts';
import { summarize } from '../statistics.ts';

const TURNS = { short: 10, long: 5_000 };
const FILES = 500;
const RUNS = { full: 200, quick: 10 };
/** The bar of docs/performance.md in milliseconds. */
const BAR = 20;

/** Fills a conversation and begins the turn `turnId` in it. */
const beginIn = async (db: Database, turnId: string, turns: number): Promise<void> => {
  const input = turnInput(turnId);
  await fillConversation(db, { ...input, name: turnId, turns });
  await insertTurn(db, input, 'hash', userMessage);
};

const fillWorkspace = async (root: string): Promise<void> => {
  for (let i = 0; i < FILES; i += 1) {
    const folder = join(root, `folder${i % 20}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file${i}.ts`), '');
  }
};

const nameOf = (conversation: keyof typeof TURNS): string =>
  `prompt, ${2 * TURNS[conversation]} stored messages`;

type Arm = () => Promise<unknown>;

const buildArm =
  (prompts: PromptService, turnId: string): Arm =>
  async () => {
    const { projectId, conversationId, mode, model } = turnInput(turnId);
    const { earlier, preface } = await prompts.begin({ turnId, projectId, conversationId, mode, model });
    const { length } = wholePrompt(earlier, [{ role: 'user', content: preface }]);
    if (length < 20) throw new Error(`expected a history, received ${length} messages`);
  };

const measureArms = async (
  arms: Readonly<Record<string, Arm>>,
  runs: number,
  random: () => number,
): Promise<Map<string, number[]>> => {
  const samples = new Map(Object.keys(arms).map((name) => [name, [] as number[]]));
  // The first round opens connections and plans statements.
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
  const { db, close } = await openTables(url);
  for (const [turnId, turns] of Object.entries(TURNS)) await beginIn(db, turnId, turns);
  await fillWorkspace(root);
  const workspace = await openWorkspace({ root, hasProjectFolders: false });
  const prompts = createPromptService({
    systemPrompt: await loadSystemPrompt(),
    readSurroundings: createReadSurroundings(workspace),
    transcripts: createTranscriptRepository(db),
    window: { tokens: 96_000, messages: undefined },
    now: () => Date.now(),
  });
  const arms: Record<string, Arm> = {
    'select 1': () => sql`select 1`.execute(db),
    [nameOf('short')]: buildArm(prompts, 'short'),
    [nameOf('long')]: buildArm(prompts, 'long'),
  };
  return { arms, close: () => Promise.all([workspace.close(), close()]) };
};

/** Compares a long conversation with a short one and with a bare round trip to Postgres. */
export const prompt: Figure = {
  name: 'prompt',
  title: 'Prompt of a turn: system prompt, 90,000 tokens of transcripts, surroundings (ms)',
  async measure({ isQuick, random }) {
    const processes = await BenchProcesses.open();
    try {
      const { arms, close } = await openArms(
        await startPostgres(processes),
        join(processes.dir, 'workspace'),
      );
      const samples = await measureArms(arms, isQuick ? RUNS.quick : RUNS.full, random);
      await close();
      const rows = [...samples].map(([name, values]) => ({ name, ...summarize(values) }));
      return {
        columns: ['arm', 'N', 'p50', 'p95', 'p99'],
        rows: rows.map(({ name, n, p50, p95, p99 }) => [name, String(n), ...[p50, p95, p99].map(rounded)]),
        checks: rows
          .filter(({ name }) => name === nameOf('long'))
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
