/**
 * Plays random schedules of people who send messages into one turn (docs/inputs.md "Steering"): at any moment, again
 * because an answer was lost, or with another text. The user cancels, the model fails, its tokens run out. Rule S1
 * holds of every message: it is applied, refused or handed back, exactly one of these.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AcceptedSteer } from '../../src/contracts/inputs/steering.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { SteerQueue } from '../../src/protocol/inputs/steer-queue.ts';
import type { ModelPort } from '../../src/protocol/ports/model-port.ts';
import { createProtocol } from '../../src/protocol/protocols/protocol-registry.ts';
import { fakeTurn, toolCall } from '../support/fake-ports.ts';
import { type AnswerParts, modelAnswer } from './support/scripted-answers.ts';
import { ScriptedInputs, type ScriptedReply } from './support/scripted-inputs.ts';

type Deed =
  | { readonly kind: 'say'; readonly who: number; readonly when: AcceptedSteer['when'] }
  /** The newest message is sent once more, because its answer was lost. */
  | { readonly kind: 'again' }
  | { readonly kind: 'contradict' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'nothing' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Deed>({ kind: 'nothing' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      who: fc.nat(3),
      when: fc.constantFrom('boundary' as const, 'boundary' as const, 'now' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Deed>({ kind: 'again' }) },
  { weight: 1, arbitrary: fc.constant<Deed>({ kind: 'contradict' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Deed>({ kind: 'cancel' }, { kind: 'nothing' }, { kind: 'nothing' }),
  },
);

const answer = fc.constantFrom<AnswerParts>(
  { text: 'Answer.' },
  { text: 'Cut.', end: 'length' },
  { calls: [toolCall('Files_read', { path: 'a' })] },
  { calls: [toolCall('Files_read', { path: 'b' })] },
  { calls: [toolCall('Files_write', { path: 'a' })] },
  { calls: [toolCall('WritePlanTool_begin', { target_file: 'f' })] },
  { calls: [toolCall('', {})] },
  { text: 'x', end: 'repetition' },
  { text: 'y', usage: { promptTokens: 1, completionTokens: 40 } },
  { text: 'File.\nDONE' },
  { error: new Error('broke') },
);

const reply = fc.constantFrom<ScriptedReply>('allow', 'deny', 'expiry', 'lost');

const schedule = fc.record({
  protocol: fc.constantFrom('two_stage' as const, 'standard' as const),
  deeds: fc.array(deed, { maxLength: 60 }),
  answers: fc.array(answer, { minLength: 1, maxLength: 8 }),
  replies: fc.option(fc.array(reply, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  maxPhaseCycles: fc.nat(4),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

/** The answers that a client may get to a message. */
type SteerAnswer = 'accepted' | 'turn_ended' | 'idempotency_conflict' | 'too_many_messages';

/** The people of a schedule, whose messages the workflow's handler lets in. */
class People {
  readonly answers = new Map<string, SteerAnswer[]>();
  readonly order: string[] = [];
  readonly #queue: SteerQueue;
  readonly #deeds: Deed[];
  readonly #cancel: () => void;
  readonly #contents = new Map<string, string>();
  #said = 0;

  constructor(queue: SteerQueue, deeds: readonly Deed[], cancel: () => void) {
    this.#queue = queue;
    this.#deeds = [...deeds];
    this.#cancel = cancel;
  }

  get hasMore(): boolean {
    return this.#deeds.length > 0;
  }

  act(): void {
    const next = this.#deeds.shift();
    switch (next?.kind) {
      case 'say':
        this.#said += 1;
        return this.#send(`m${this.#said}`, `said ${this.#said} by ${next.who}`, next.when);
      case 'again':
        return this.#sendAgain(`said ${this.#said}`);
      case 'contradict':
        return this.#sendAgain('something else');
      case 'cancel':
        return this.#cancel();
      default:
        return undefined;
    }
  }

  #sendAgain(prefix: string): void {
    const id = `m${this.#said}`;
    const content = this.#contents.get(id);
    if (content === undefined) return;
    this.#send(id, content.startsWith(prefix) ? content : prefix, 'boundary');
  }

  #send(messageId: string, content: string, when: AcceptedSteer['when']): void {
    if (!this.#contents.has(messageId)) this.#contents.set(messageId, content);
    const verdict = this.#queue.judge({ messageId, content });
    const given = verdict.kind === 'refused' ? (verdict.code as SteerAnswer) : 'accepted';
    this.answers.set(messageId, [...(this.answers.get(messageId) ?? []), given]);
    if (verdict.kind !== 'counts') return;
    this.order.push(messageId);
    this.#queue.accept({ messageId, content, when, by: { kind: 'local' }, at: '2026-01-05T09:00:00.000Z' });
  }
}

const play = async ({ protocol, deeds, answers, replies, maxPhaseCycles }: Schedule) => {
  const queue = new SteerQueue();
  const cancellation = { isRequested: false };
  const people = new People(queue, deeds, () => (cancellation.isRequested = true));
  const read: string[][] = [];
  let hasRepeatedItself = false;
  const adapter: ModelPort = {
    callModel: async (messages) => {
      read.push(messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])));
      people.act();
      await Promise.resolve();
      people.act();
      const end = cancellation.isRequested ? 'cancelled' : queue.hasInterrupt ? 'steered' : 'stop';
      const said = answers[(read.length - 1) % answers.length] ?? {};
      hasRepeatedItself ||= said.end === 'repetition';
      const usage = { promptTokens: 1, completionTokens: 1 };
      return modelAnswer({ usage, end, ...said });
    },
  };
  const asking = { rules: [], setting: 'writes' as const };
  const inputs = replies && new ScriptedInputs(asking, replies, () => (people.act(), 0), [], cancellation);
  const turn = fakeTurn({
    adapter,
    cancellation,
    steers: queue,
    ...(inputs && { inputs }),
    config: { maxPhaseCycles, maxTurnTokens: MAX_TOKENS },
    tool: () => {
      people.act();
      return { success: true, result: { session_id: 's', target_file: 'f' } };
    },
  });
  const events: TurnEvent[] = [];
  for await (const event of createProtocol(protocol, turn.context).executeStreaming(turn.context)) {
    events.push(event);
    if (event.type !== 'done' && event.type !== 'error') people.act();
    if (events.length > 20_000) throw new Error('the turn does not end');
  }
  const unapplied = queue.close().map(({ messageId }) => messageId);
  while (people.hasMore) people.act();
  return { events, people, unapplied, read, hasRepeatedItself };
};

const MAX_TOKENS = 60;
const HANDS_BACK = new Set(['cancelled', 'tokens', 'repetition']);

const check = ({
  events,
  people,
  unapplied,
  read,
  hasRepeatedItself,
}: Awaited<ReturnType<typeof play>>): void => {
  const applied = events.flatMap((event) => (event.type === 'steer' ? [event.messageId] : []));
  const end = events.at(-1);
  expect([...applied, ...unapplied]).toEqual(people.order);
  for (const [messageId, answers] of people.answers) {
    const isAccepted = answers[0] === 'accepted';
    const places = [...applied, ...unapplied].filter((id) => id === messageId).length;
    expect(places).toBe(isAccepted ? 1 : 0);
    const later = isAccepted ? ['accepted', 'idempotency_conflict'] : ['turn_ended', 'too_many_messages'];
    expect(later).toEqual(expect.arrayContaining(answers));
  }
  const mayHandBack =
    // A model that repeats itself in a file ends the turn, too, for whatever reason tool use had ended before.
    hasRepeatedItself ||
    end?.type !== 'done' ||
    HANDS_BACK.has(end.reason) ||
    end.usage.completionTokens >= MAX_TOKENS;
  if (!mayHandBack) expect(unapplied).toEqual([]);
  for (const event of events) {
    if (event.type !== 'steer') continue;
    const last = read.at(-1) ?? [];
    expect(last.filter((content) => content === event.content)).toHaveLength(1);
  }
};

describe('rule S1 of messages into a turn', () => {
  it('holds in random schedules: every message is applied, refused or handed back, and only one of these', async () => {
    const outcomes = { applied: 0, handedBack: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(schedule, async (one) => {
        const played = await play(one);
        check(played);
        const { unapplied, people } = played;
        outcomes.applied += people.order.length - unapplied.length;
        outcomes.handedBack += unapplied.length;
        for (const [first] of people.answers.values()) if (first !== 'accepted') outcomes.refused += 1;
      }),
      { numRuns: 6_000 },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(100);
  }, 60_000);
});
