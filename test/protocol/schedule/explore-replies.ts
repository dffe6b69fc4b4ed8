/**
 * Explores the orders in which people reply to the requests of one turn. test/event-log/schedule explores those in
 * which its events arrive, and test/schedules has both on real processes, which are killed.
 */
import { afterAll, expect, it } from '@jest/globals';
import type { InputResolved } from '../../../src/contracts/wire/input-events.ts';
import { replyHashOf } from '../../../src/protocol/inputs/input-request-state.ts';
import { logLine } from '../../support/test-log.ts';
import { ReplyWorld } from './reply-world.ts';

/** The most schedules in one test. */
const BLOCK = 8_000;
const BLOCK_TIMEOUT_MS = 120_000;
const RUNS = new Set(['allow', 'allow_turn', 'edit']);

const resolutionsOf = ({ events }: ReplyWorld): ReadonlyMap<string, InputResolved> =>
  new Map(events.flatMap((event) => (event.type === 'input_resolved' ? [[event.inputId, event]] : [])));

/**
 * Returns the breaches of N3: nothing runs without a reply that allows it, nothing other than was shown, and nothing
 * twice.
 */
const effectViolations = (world: ReplyWorld): string[] => {
  const resolutions = resolutionsOf(world);
  const once = new Set<string>();
  const keys = new Set<string>();
  return world.workers.effects.flatMap(({ key, tool, arguments: text, hash, approval }) => {
    const wrong: string[] = [];
    if (keys.has(key)) wrong.push(`${key} had an effect twice`);
    keys.add(key);
    const reply = approval && resolutions.get(approval.inputId);
    const ask = approval && world.asked.get(approval.inputId);
    if (!approval || !reply || !ask) return [...wrong, `${key} ran, and nobody was asked`];
    if (reply.reply === 'answer' || reply.reply === 'result') return wrong;
    if (!RUNS.has(reply.reply) || reply.by.kind !== 'key') wrong.push(`${key} ran after ${reply.reply}`);
    if (approval.once && once.has(approval.inputId)) wrong.push(`${approval.inputId} let two run`);
    if (approval.once) once.add(approval.inputId);
    if (tool !== ask.call?.function.name) wrong.push(`${key} is another tool than was allowed`);
    const shown = reply.reply === 'edit' ? reply.arguments : ask.call?.function.arguments;
    // Later calls of a tool that was allowed for the whole turn were not shown.
    const wasShown = approval.once || approval.argsHash !== undefined;
    if (wasShown && (text !== shown || hash !== approval.argsHash)) wrong.push(`${key} is not as shown`);
    return wrong;
  });
};

/**
 * Returns the breaches of N1: the first reply wins, everybody who asks gets the same answer, and the events say what
 * was acknowledged.
 */
const answerViolations = (world: ReplyWorld): string[] => {
  const resolutions = resolutionsOf(world);
  const hashes = new Map(
    world.events.flatMap((event) =>
      event.type === 'input_requested' ? [[event.inputId, event.argsHash] as const] : [],
    ),
  );
  const winners = new Map<string, string>();
  return world.repliers.answered.flatMap(({ request, outcome }) => {
    if (!('resolution' in outcome)) return [];
    const { resolution } = outcome;
    const { inputId } = request;
    const wrong: string[] = [];
    if (resolution.replyHash !== replyHashOf(request)) wrong.push(`${inputId}: another's reply was answered`);
    if (RUNS.has(request.reply) && request.argsHash !== hashes.get(inputId)) {
      wrong.push(`${inputId}: approved by what was not shown`);
    }
    const winner = winners.get(inputId) ?? resolution.replyHash ?? '';
    winners.set(inputId, winner);
    if (winner !== resolution.replyHash) wrong.push(`${inputId}: two winners`);
    const shown = resolutions.get(inputId);
    if (!shown && !world.isCancelled) wrong.push(`${inputId}: an acknowledged reply is lost`);
    if (shown && (shown.reply !== resolution.reply || shown.by.kind !== 'key')) {
      wrong.push(`${inputId}: acknowledged ${resolution.reply}, and the turn went on with ${shown.reply}`);
    }
    return wrong;
  });
};

/** Returns where a request is not followed by its one resolution, or the turn does not have its one end. */
const eventViolations = ({ events, isCancelled }: ReplyWorld): string[] => {
  const wrong: string[] = [];
  let open: string | undefined;
  for (const event of events) {
    if (event.type === 'input_requested') {
      if (open !== undefined) wrong.push(`${event.inputId}: asked while ${open} was open`);
      open = event.inputId;
    }
    if (event.type !== 'input_resolved') continue;
    if (open !== event.inputId) wrong.push(`${event.inputId}: resolved, and not open`);
    open = undefined;
  }
  if (open !== undefined && !isCancelled) wrong.push(`${open}: never resolved`);
  const ends = events.filter(({ type }) => type === 'done' || type === 'error').length;
  if (ends !== 1) wrong.push(`${ends} ends`);
  return wrong;
};

/**
 * Returns the breaches of S1: each message that was accepted is applied once and in order, or handed back by a turn
 * that was cut off.
 */
const steerViolations = ({ events, unapplied, accepted }: ReplyWorld): string[] => {
  const applied = events.flatMap((event) => (event.type === 'steer' ? [event.messageId] : []));
  const found = [...applied, ...unapplied].join();
  const end = events.at(-1);
  const isCutOff = end?.type !== 'done' || end.reason === 'cancelled';
  return [
    ...(found === accepted.join() ? [] : [`messages: expected ${accepted.join()}, found ${found}`]),
    ...(isCutOff || unapplied.length === 0
      ? []
      : [`${unapplied.join()}: handed back by a turn that could go on`]),
  ];
};

/** Resolves to what went wrong in the schedule of one seed; counts what happened in it. */
const violationsOf = async (seed: number, counted: Map<string, number>): Promise<string[]> => {
  const world = new ReplyWorld(seed, counted);
  await world.run();
  const count = (what: string, more: number) => counted.set(what, (counted.get(what) ?? 0) + more);
  count('attempts that died', world.workers.kills);
  count('effects', world.workers.effects.length);
  for (const { outcome } of world.repliers.answered) {
    count('resolution' in outcome ? 'acknowledged replies' : 'refused replies', 1);
  }
  count('messages handed back', world.unapplied.length);
  return [effectViolations, answerViolations, eventViolations, steerViolations]
    .flatMap((look) => look(world))
    .map((violation) => `seed ${seed}: ${violation}`);
};

/** What must happen in every block of schedules: rules about what never happens hold by themselves. */
const WHAT_HAPPENS = [
  'effects',
  'attempts that died',
  'acknowledged replies',
  'refused replies',
  'messages handed back',
  'resolved by key',
  'resolved by expiry',
  'resolved by steer',
  'kill',
  'touch',
  'cancel',
];

/** Explores the schedules of the seeds from `first` to `last`. */
export const repliesHoldInSchedules = (first: number, last: number): void => {
  const counted = new Map<string, number>();
  let violations = 0;

  const tests = Math.ceil((last - first + 1) / BLOCK);
  const blocks = Array.from({ length: tests }, (_, block) => first + block * BLOCK);

  it.each(blocks)(
    'in random schedules from seed %i on',
    async (from) => {
      const failures: string[] = [];
      for (let seed = from; seed <= Math.min(last, from + BLOCK - 1); seed += 1) {
        failures.push(...(await violationsOf(seed, counted)));
      }
      violations += failures.length;
      expect(failures).toEqual([]);
      expect(WHAT_HAPPENS.filter((what) => !counted.get(what))).toEqual([]);
    },
    BLOCK_TIMEOUT_MS,
  );

  afterAll(() => {
    const happened = [...counted].map(([what, count]) => `${count} ${what}`).join(', ');
    logLine(`replies, schedules of seeds ${first} to ${last}: ${violations} violations (${happened})`);
  });
};
