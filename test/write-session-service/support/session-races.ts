import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FinalizeOutcome } from '../../../src/contracts/payload/session-workflow.ts';
import type { SessionWorld } from './session-world.ts';
import { endOf } from '../../support/workflow-end.ts';

type Answer = FinalizeOutcome | { readonly kind: 'not_found' };

const TARGET = 'raced.md';

/** Two finalizes and a cancel, the cancel 0–30 ms after the first. Resolves to the end; throws when they do not agree. */
export const raceWithCancel = async (world: SessionWorld, round: number): Promise<string> => {
  const sessionId = await world.begun({ targetFile: TARGET });
  const before = await world.file(TARGET);
  const text = `cancel ${round}`;
  const [first, second, cancelled] = await Promise.all([
    finalize(world, sessionId, text),
    finalize(world, sessionId, text),
    delay(Math.random() * 30).then(() => world.sessions.cancel(sessionId)),
  ]);
  const end = await agreed(world, { sessionId, text, before }, [first, second]);
  const told = cancelled.kind === 'ended' ? cancelled.stage : cancelled.kind;
  if (told !== end) throw new Error(`round ${round}: ended ${end}, the cancel was told ${told}`);
  return end;
};

/** A finalize at the very time when silence has lasted long enough. Throws when what is told and done differ. */
export const raceWithTimer = async (world: SessionWorld, round: number): Promise<string> => {
  const sessionId = await world.begun({ targetFile: TARGET, inactivityMs: 120 });
  const before = await world.file(TARGET);
  const text = `timer ${round}`;
  await delay(80 + Math.random() * 60);
  const answer = await finalize(world, sessionId, text);
  return agreed(world, { sessionId, text, before }, [answer]);
};

const finalize = async (world: SessionWorld, sessionId: string, text: string): Promise<Answer> =>
  world.sessions.finalize({
    sessionId,
    request: { content: await world.stored(sessionId, text) },
    updateId: randomUUID(),
  });

interface Race {
  readonly sessionId: string;
  readonly text: string;
  /** Text of the target before. */
  readonly before: string | undefined;
}

/** The end on which row, file and every answer agree. */
const agreed = async (
  world: SessionWorld,
  { sessionId, text, before }: Race,
  answers: readonly Answer[],
): Promise<string> => {
  await endOf(world.workflow(sessionId));
  const { state, stage } = await world.row(sessionId);
  const file = await world.file(TARGET);
  const told = answers.map((answer) => (answer.kind === 'ended' ? answer.stage : answer.kind));
  const fits = state === 'ended' && told.every((end) => end === stage);
  const written = stage === 'committed' ? file === text : file === before;
  if (!fits || !written) {
    throw new Error(`${text}: the row says ${state} ${stage}, the answers ${told.join()}, the file ${file}`);
  }
  return stage;
};
