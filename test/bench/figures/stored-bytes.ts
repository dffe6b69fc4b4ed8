import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { SUMMARY_PROMPT_START } from '../../../src/contracts/model/prompt-marks.ts';
import type { Database } from '../../../src/db/connection/database.ts';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import type { OrionArm } from '../arms/orion-arm.ts';
import type { Figure } from '../figure.ts';
import { type OwnStack, withOwnStack } from '../own-stack.ts';
import { atMost, rounded } from '../report.ts';

/** The number of turns in each third of the conversation. */
const TURNS = { full: 100, quick: 5 };
const THIRDS = ['first', 'second', 'last'] as const;
/** What is said in a turn, in characters: a question, the lines of the files that it reads, and an answer. */
const QUESTION = 200;
const FILES = 2;
const FILE_LINES = 50;
const LINE = 80;
const ANSWER = 800;
const SAID = QUESTION + FILES * FILE_LINES * LINE + ANSWER;
/**
 * The bars of docs/performance.md: the last third of the conversation over the first, and over storing every prompt as
 * it was sent.
 */
const BARS = { growth: 1.2, share: 0.15 };
const RIVAL = 'rival_prompts';

const words = (characters: number, random: () => number): string => {
  let text = '';
  while (text.length < characters) text += `${Math.floor(random() * 1e9).toString(36)} `;
  return text.slice(0, characters);
};

/** Returns an arm whose turns all belong to the same conversation. */
const inOneConversation = (orion: OrionArm): Arm => ({
  ...orion,
  body: (requestId, content) => ({ projectId: 'bench', conversationId: 'stored', requestId, content }),
});

/** Stores each prompt as it was sent, as a system without transcripts would. */
const storeAtRival = async ({ db, model }: OwnStack): Promise<void> => {
  for (const { body } of await model.asked()) {
    const messages = JSON.stringify(body.messages);
    if (!messages.includes(SUMMARY_PROMPT_START)) {
      await sql`insert into ${sql.table(RIVAL)} (messages) values (${messages})`.execute(db);
    }
  }
};

/** Plays a turn with a question, files that it reads, and an answer; returns the bytes of its history in Temporal. */
const playTurn = async (stack: OwnStack, turn: number, random: () => number): Promise<number> => {
  const { model, orion, temporal } = stack;
  const folder = join(orion.dataDir, 'workspace', `turn${turn}`);
  await mkdir(folder, { recursive: true });
  const reads = Array.from({ length: FILES }, async (_, i) => {
    const lines = Array.from({ length: FILE_LINES }, () => `${words(LINE - 1, random)}\n`);
    await writeFile(join(folder, `${i}.txt`), lines.join(''));
    return answerWithCall('FileSystemTool_read_file', { path: `turn${turn}/${i}.txt` });
  });
  await model.follow([
    { match: { includes: SUMMARY_PROMPT_START }, responses: [answer('Words.')], repeat: true },
    { responses: [...(await Promise.all(reads)), answer(words(ANSWER, random))] },
  ]);
  const { id } = await ask(inOneConversation(orion), words(QUESTION, random));
  const workflow = temporal.workflow.getHandle(orion.workflowId?.(id) ?? '');
  await workflow.result();
  await storeAtRival(stack);
  return (await workflow.describe()).historySize ?? 0;
};

/** The stored bytes on the disk, including indexes and free space. */
interface Stored {
  readonly orion: number;
  readonly rival: number;
}

const readStored = async (db: Database): Promise<Stored> => {
  const { rows } = await sql<{ name: string; bytes: string }>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(db);
  const of = (isRival: boolean): number =>
    rows
      .filter(({ name }) => (name === RIVAL) === isRival)
      .reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return { orion: of(false), rival: of(true) };
};

interface Third extends Stored {
  /** The bytes of the Temporal histories of the turns. */
  readonly history: number;
}

const playThirds = async (stack: OwnStack, turns: number, random: () => number): Promise<Third[]> => {
  const { db } = stack;
  await sql`create table ${sql.table(RIVAL)} (messages json)`.execute(db);
  // The first turn of all is not counted, since it stores some things only once.
  await playTurn(stack, 0, random);
  const thirds: Third[] = [];
  let before = await readStored(db);
  for (const third of THIRDS.keys()) {
    let history = 0;
    for (let turn = 1; turn <= turns; turn += 1) {
      history += await playTurn(stack, third * turns + turn, random);
    }
    const after = await readStored(db);
    thirds.push({ orion: after.orion - before.orion, rival: after.rival - before.rival, history });
    before = after;
  }
  return thirds;
};

/**
 * Compares what a conversation stores with storing every prompt as it was sent, to show that it grows only with what is
 * said.
 */
export const storedBytes: Figure = {
  name: 'stored-bytes',
  title: 'Bytes stored for one that was said, 300 turns that each read two files',
  measure(bench) {
    const turns = bench.isQuick ? TURNS.quick : TURNS.full;
    return withOwnStack(bench, 'orion-stored', async (stack) => {
      const thirds = await playThirds(stack, turns, bench.random);
      const perByte = (bytes: number): number => bytes / (turns * SAID);
      const ways = ['orion', 'rival', 'history'] as const;
      const names = { orion: 'Postgres', rival: 'every prompt as it was sent', history: 'Temporal' };
      const grown = (way: keyof Third): number => (thirds.at(-1)?.[way] ?? 0) / (thirds[0]?.[way] ?? 1);
      const all = (way: keyof Third): number => thirds.reduce((sum, third) => sum + third[way], 0);
      return {
        columns: ['stored in', ...THIRDS.map((third) => `${third} ${turns} turns`), 'last ÷ first'],
        rows: ways.map((way) => [
          names[way],
          ...thirds.map((third) => rounded(perByte(third[way]))),
          rounded(grown(way)),
        ]),
        checks: [
          atMost('Postgres, last third ÷ first', grown('orion'), BARS.growth),
          atMost('Temporal, last third ÷ first', grown('history'), BARS.growth),
          atMost('Postgres ÷ every prompt as it was sent', all('orion') / all('rival'), BARS.share),
        ],
      };
    });
  },
};
