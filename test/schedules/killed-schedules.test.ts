/**
 * Plays schedules of people around turns on the processes of `npm start`, its own Temporal and Postgres included, while
 * one process after the other is killed with `kill -9` (docs/inputs.md "Who decides"). `ORION_TEST_SCHEDULES` is their
 * number, `ORION_TEST_SEED` the seed of the first. The same seed makes the same turn and the same people, but kills at
 * other moments. Schedules in memory, of which far more can be played, are explored by test/event-log/schedules.test.ts
 * and test/protocol/reply-schedules.test.ts.
 */
import { afterEach, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from '../../src/access/new-key.ts';
import { Random } from '../support/random.ts';
import { logFinding } from './support/finding.ts';
import { Killer } from './support/killer.ts';
import { playTurn, type PlayedTurn } from './support/scheduled-turn.ts';
import { violationsIn } from './support/turn-checks.ts';
import { playPlan } from './support/turn-plan.ts';
import { ChatClient } from '../support/chat-client.ts';
import { startFakeModel } from '../support/fake-model/fake-model.ts';
import { drawFreePort } from '../support/free-port.ts';
import { requestUntilAnswered } from '../support/request-until-answered.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { logLine } from '../support/test-log.ts';

const SCHEDULES = Number(process.env['ORION_TEST_SCHEDULES'] ?? 2_000);
const FIRST = Number(process.env['ORION_TEST_SEED'] ?? Math.floor(Date.now() / 1_000) % 10_000_000);
/** The number of turns that run at the same time. */
const AT_ONCE = 40;
/** The most frames that all readers together get between two kills. */
const FRAMES_PER_KILL = 200;
/** A turn that has not ended after this time stands still, whatever was killed. */
const STANDS_STILL_MS = 150_000;
jest.setTimeout(SCHEDULES * 2_000 + 300_000);

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const startStack = async () => {
  const model = await startFakeModel({ respond: playPlan });
  cleanUps.push(() => model.close());
  const folder = await mkdtemp(join(tmpdir(), 'orion-schedules-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const [user, other] = [newKey('user', ['test']), newKey('other', ['elsewhere'])];
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, JSON.stringify([user.entry, other.entry]));
  const [temporal, postgres, ui, metrics] = await Promise.all([
    drawFreePort(),
    drawFreePort(),
    drawFreePort(),
    drawFreePort(),
  ]);
  const stack = await OrionStack.start({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ORION_API_KEYS_FILE: keysFile,
    ORION_WORKERS: '2',
    ORION_COMMANDS: 'ask',
    INPUT_EXPIRY_MS: '10000',
    // The events then hold the results, and so does the log of what was wrong.
    DEBUG_SHOW_TOOL_RESULTS: 'on',
    // The stack starts servers of its own, which are killed as well.
    TEMPORAL_ADDRESS: '',
    DATABASE_URL: '',
    ORION_TEMPORAL_PORT: String(temporal),
    ORION_TEMPORAL_UI_PORT: String(ui),
    ORION_POSTGRES_PORT: String(postgres),
    ORION_METRICS_PORT: String(metrics),
  });
  cleanUps.push(() => stack.stop());
  const clientOf = (key: string) => new ChatClient(stack.baseUrl, { Authorization: `Bearer ${key}` });
  return { stack, temporal, chat: clientOf(user.key), outsider: clientOf(other.key) };
};

it('turns end once, with one winner for each request, whatever is killed', async () => {
  const { stack, temporal, chat, outsider } = await startStack();
  const killer = new Killer(stack, new Random(FIRST), FRAMES_PER_KILL);
  const place = { chat, workspace: join(stack.dataDir, 'workspace', 'test') };
  const wrong: string[] = [];
  const counted = new ScheduleCounts();
  let seed = FIRST;
  const play = async (): Promise<void> => {
    while (seed < FIRST + SCHEDULES) {
      const mine = seed;
      seed += 1;
      const killsBefore = killer.count;
      const standsStill = setTimeout(() => void logStalledTurn(chat, mine), STANDS_STILL_MS);
      const played = await playTurn(mine, { chat, outsider, onFrame: killer.note });
      clearTimeout(standsStill);
      const found = await violationsIn(place, played);
      if (found.length > 0) await logFinding(temporal, played);
      wrong.push(...found);
      counted.add(played, killer.count - killsBefore);
    }
  };
  const began = performance.now();
  const killing = killer.run();
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, SCHEDULES) }, play));
  killer.stop();
  await killing;
  const seconds = Math.round((performance.now() - began) / 1_000);
  const figures = JSON.stringify({ first: FIRST, seconds, ...counted.figures, killed: killer.killed });
  process.stdout.write(`schedules with kills: ${wrong.length} violations ${figures}\n`);
  expect(wrong).toEqual([]);
  expect((await requestUntilAnswered(chat, '/api/inputs?status=open')).body['inputs']).toEqual([]);
  expect(killer.count).toBeGreaterThan(0);
});

/** Logs the state of a turn that stands still at this moment. */
const logStalledTurn = async (chat: ChatClient, seed: number): Promise<void> =>
  logLine(
    `stands still: ${JSON.stringify((await requestUntilAnswered(chat, `/api/turns/schedule-${seed}`)).body)}`,
  );

/** Counts what happened in all schedules. */
class ScheduleCounts {
  readonly figures = {
    turns: 0,
    struck: 0,
    requests: 0,
    replies: 0,
    messages: 0,
    cancels: 0,
    resets: 0,
    slowestMs: 0,
  };

  /** `kills` is the number of kills while the turn ran. */
  add({ frames, people, next, tookMs }: PlayedTurn, kills: number): void {
    const { figures } = this;
    const count = (type: string) => frames.filter(({ data }) => data['type'] === type).length;
    figures.turns += 1 + next.size;
    figures.struck += kills > 0 ? 1 : 0;
    figures.requests += count('input_requested');
    figures.replies += people.replies.length;
    figures.messages += people.steers.length;
    figures.cancels += people.cancels;
    figures.resets += count('reset');
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(tookMs));
  }
}
