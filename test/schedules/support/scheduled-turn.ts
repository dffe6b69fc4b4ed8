import { inputRequestedSchema } from '../../../src/contracts/wire/input-events.ts';
import { Random } from '../../support/random.ts';
import type { ChatClient } from '../../support/chat-client.ts';
import type { RecordedFrame } from '../../support/sse-recorder.ts';
import { requestUntilAnswered } from '../../support/request-until-answered.ts';
import { planOf, startOf, type TurnPlan } from './turn-plan.ts';
import { type ShownRequest, TurnPeople } from './turn-people.ts';

/** What remains of a schedule when it is over. */
export interface PlayedTurn {
  readonly plan: TurnPlan;
  readonly people: TurnPeople;
  /** The frames as the turn's reader got them, cuts and resets included. */
  readonly frames: readonly RecordedFrame[];
  /** The frames that a reader gets who comes after the end. */
  readonly fresh: readonly RecordedFrame[];
  /** The frames of turns that messages have begun, by turn id. */
  readonly next: ReadonlyMap<string, readonly RecordedFrame[]>;
  readonly tookMs: number;
}

export interface ScheduledTurnOptions {
  readonly chat: ChatClient;
  /** A client with a key of another project. */
  readonly outsider: ChatClient;
  readonly onFrame: () => void;
}

/** Plays the schedule of one seed on a stack to its end. */
export const playTurn = async (seed: number, options: ScheduledTurnOptions): Promise<PlayedTurn> => {
  const { chat, outsider } = options;
  const startedAt = performance.now();
  const plan = planOf(seed);
  const people = new TurnPeople(chat, outsider, plan);
  const random = new Random(seed + 0xfa11);
  // This message may come before there is a turn.
  if (random.chance(0.15)) people.sayEarly();
  await requestUntilAnswered(chat, '/api/turns', startOf(plan));
  const deeds = drawActions(random);
  let shown = 0;
  const seen = new Set<string>();
  const frames = await chat.follow(plan.turnId, ({ data }) => {
    options.onFrame();
    shown += 1;
    for (const deed of deeds.filter(({ at }) => at === shown)) people[deed.kind]();
    const request = requestOf(data);
    if (!request || seen.has(request.inputId)) return;
    seen.add(request.inputId);
    people.see(request);
  });
  const tookMs = performance.now() - startedAt;
  people.comeLate();
  await people.settled();
  const next = new Map<string, readonly RecordedFrame[]>();
  for (const { messageId, body } of people.steers) {
    if (body['state'] === 'queued') next.set(messageId, await chat.follow(messageId));
  }
  return { plan, people, frames, fresh: await chat.follow(plan.turnId), next, tookMs };
};

/** Draws the frame counts at which somebody sends a message or cancels the turn. */
const drawActions = (random: Random): readonly { at: number; kind: 'say' | 'cancel' }[] => {
  const within = () => 1 + random.below(25);
  const steers = Array.from({ length: random.below(3) }, () => ({ at: within(), kind: 'say' as const }));
  return random.chance(0.12) ? [...steers, { at: within(), kind: 'cancel' }] : steers;
};

const requestOf = (data: RecordedFrame['data']): ShownRequest | undefined =>
  inputRequestedSchema.safeParse(data).data;
