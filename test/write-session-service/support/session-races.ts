import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionWorld } from './session-world.ts';
import { endOf } from '../../support/workflow-end.ts';
import type { FinalizeOutcome } from '../../../src/contracts/write-session/session-messages.ts';

type Answer = FinalizeOutcome | { readonly kind: 'not_found' };

/**
 * The number of races that run side by side, each with a file and a lock of its own: a race waits for most of its time.
 */
const LANES = 3;

/**
 * Runs one race; resolves to the end of the session, and throws when an answer or the file disagrees with it. The
 * second action comes within `span` milliseconds after the first.
 */
type Race = (world: SessionWorld, round: number, span: number) => Promise<string>;

const [FIRST_SPAN_MS, MAX_SPAN_MS] = [30, 3_000];

/**
 * Runs this many races; resolves to all ends that there were. How long a commit takes depends on the machine: when the
 * first action won, the second comes sooner in the next round, otherwise later, so that the two meet on any machine.
 */
export const runRaces = async (world: SessionWorld, rounds: number, race: Race): Promise<Set<string>> => {
  const ends = new Set<string>();
  let span = FIRST_SPAN_MS;
  for (let first = 0; first < rounds; first += LANES) {
    const lanes = Array.from({ length: Math.min(LANES, rounds - first) }, (_, lane) =>
      race(world, first + lane, span),
    );
    for (const end of await Promise.all(lanes)) {
      ends.add(end);
      span = end === 'committed' ? span / 1.25 : Math.min(span * 1.25, MAX_SPAN_MS);
    }
  }
  return ends;
};

const laneOf = (round: number) => ({
  targetFile: `raced-${round % LANES}.md`,
  owner: `lane-${round % LANES}`,
});

/**
 * Covers the range 0–1 evenly as rounds go on, in the same way in every run, so that a round which fails can be
 * repeated.
 */
const spreadOverUnit = (round: number): number => (round * 0.618034) % 1;

/** Races two finalizes against a cancel. */
export const raceWithCancel: Race = async (world, round, span) => {
  const lane = laneOf(round);
  const sessionId = await world.beginSession(lane);
  const before = await world.file(lane.targetFile);
  const text = `cancel ${round}`;
  const [first, second, cancelled] = await Promise.all([
    finalize(world, sessionId, text),
    finalize(world, sessionId, text),
    delay(spreadOverUnit(round) * span).then(() => world.sessions.cancel(sessionId)),
  ]);
  const end = await agreedEnd(world, { ...lane, sessionId, text, before }, [first, second]);
  const answer = cancelled.kind === 'ended' ? cancelled.stage : cancelled.kind;
  if (answer !== end) throw new Error(`round ${round}: ended ${end}, the cancel was answered ${answer}`);
  return end;
};

/** Races a finalize against the end of the inactivity timeout. */
export const raceWithTimer: Race = async (world, round) => {
  const lane = laneOf(round);
  const sessionId = await world.beginSession({ ...lane, inactivityMs: 120 });
  const before = await world.file(lane.targetFile);
  const text = `timer ${round}`;
  await delay(80 + spreadOverUnit(round) * 60);
  const answer = await finalize(world, sessionId, text);
  return agreedEnd(world, { ...lane, sessionId, text, before }, [answer]);
};

const finalize = async (world: SessionWorld, sessionId: string, text: string): Promise<Answer> =>
  world.sessions.finalize({
    sessionId,
    request: { content: await world.stored(sessionId, text) },
    updateId: randomUUID(),
  });

interface RacedSession {
  readonly targetFile: string;
  readonly sessionId: string;
  readonly text: string;
  /** The text of the target before the race. */
  readonly before: string | undefined;
}

/** Resolves to the end on which the row, the file and every answer agree. */
const agreedEnd = async (
  world: SessionWorld,
  { sessionId, targetFile, text, before }: RacedSession,
  answers: readonly Answer[],
): Promise<string> => {
  await endOf(world.workflow(sessionId));
  const { state, stage } = await world.row(sessionId);
  const file = await world.file(targetFile);
  const ends = answers.map((answer) => (answer.kind === 'ended' ? answer.stage : answer.kind));
  const fits = state === 'ended' && ends.every((end) => end === stage);
  const written = stage === 'committed' ? file === text : file === before;
  if (!fits || !written) {
    throw new Error(`${text}: the row says ${state} ${stage}, the answers ${ends.join()}, the file ${file}`);
  }
  return stage;
};
