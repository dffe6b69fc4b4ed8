import { setTimeout as delay } from 'node:timers/promises';
import type { InputRequested } from '../../../src/contracts/wire/input-events.ts';
import { Random } from '../../support/random.ts';
import type { ChatClient } from '../../support/chat-client.ts';
import { requestUntilAnswered, type FinalAnswer } from '../../support/request-until-answered.ts';
import { QUEUED, type TurnPlan } from './turn-plan.ts';

/** An input request as its event shows it. */
export type ShownRequest = Pick<InputRequested, 'inputId' | 'options' | 'argsHash' | 'arguments'>;

export interface AnsweredReply extends FinalAnswer {
  readonly inputId: string;
  readonly reply: string;
  /** True when the hash that was sent is not that of the request. */
  readonly isForged: boolean;
  /** True when the reply was sent about another turn, or with a key of another project. */
  readonly isForeign: boolean;
}

export interface AnsweredSteer extends FinalAnswer {
  readonly messageId: string;
  readonly content: string;
  /** True when the message was sent before the start of the turn was answered. */
  readonly isEarly: boolean;
}

/**
 * The time after which one last person replies to a request, so that it is resolved even if nobody else has replied.
 */
const PATIENCE_MS = 1_500;
/** Replies that name the hash of what they approve. */
const NAMES_HASH = new Set(['allow', 'allow_turn', 'edit']);
/** The probability that nobody replies to a request until it expires. */
const FORGOTTEN = 0.08;

/**
 * The people around one turn: they reply, contradict themselves, send messages into it, and repeat requests whose
 * answers were lost.
 */
export class TurnPeople {
  readonly replies: AnsweredReply[] = [];
  readonly steers: AnsweredSteer[] = [];
  /** Answers that differ from those to the same request sent at the same moment. */
  readonly differences: string[] = [];
  cancels = 0;
  readonly #chat: ChatClient;
  readonly #outsider: ChatClient;
  readonly #plan: TurnPlan;
  readonly #random: Random;
  readonly #shown: ShownRequest[] = [];
  readonly #work: Promise<unknown>[] = [];
  #said = 0;

  /** `outsider` has a key of another project. */
  constructor(chat: ChatClient, outsider: ChatClient, plan: TurnPlan) {
    this.#chat = chat;
    this.#outsider = outsider;
    this.#plan = plan;
    this.#random = new Random(plan.seed + 0x5eed);
  }

  /** Resolves when every message and reply so far has got its answer. */
  async settled(): Promise<void> {
    for (let seen = -1; seen !== this.#work.length;) {
      seen = this.#work.length;
      await Promise.all(this.#work);
    }
  }

  /** Notes a request that has come, which several people see. */
  see(request: ShownRequest): void {
    this.#shown.push(request);
    const random = this.#random;
    if (random.chance(FORGOTTEN)) return;
    for (let people = random.below(3); people > 0; people -= 1) this.#do(() => this.#replyTo(request));
    if (random.chance(0.15)) this.#do(() => this.#replyAsForeigner(request));
    this.#do(async () => {
      await delay(PATIENCE_MS);
      await this.#send(request, { reply: request.options[0] ?? 'deny', ...hashOf(request) });
    });
  }

  /** Sends a message while the turn is being started: it either finds no turn and is told so, or gets into it. */
  sayEarly(): void {
    this.#say(false, true);
  }

  /** Sends a message into the turn, perhaps twice at once. */
  say(): void {
    this.#say(this.#random.chance(0.3), false);
  }

  #say(queue: boolean, isEarly: boolean): void {
    const random = this.#random;
    this.#said += 1;
    const messageId = `${this.#plan.turnId}-m${this.#said}`;
    const when = random.chance(0.4) ? 'now' : 'boundary';
    const content = `${queue ? QUEUED : 'say'} ${messageId}`;
    const isDoubled = random.chance(0.3);
    const path = `/api/turns/${this.#plan.turnId}/messages`;
    const send = () => requestUntilAnswered(this.#chat, path, { messageId, content, when, queue });
    this.#do(async () => {
      const both = await Promise.all([send(), isDoubled ? send() : undefined]);
      // The turn may begin between the two messages: the first then found no turn, and only the other counts.
      const [answer, again] = isEarly ? withoutUnfoundTurn(both) : both;
      this.steers.push({ messageId, content, isEarly, ...answer });
      // A queued message names the turn for which it waits, and the two may find different ones.
      const isComparable = !queue || answer.body['state'] === 'accepted';
      if (again && isComparable && wordsOf(again) !== wordsOf(answer)) {
        this.differences.push(`${messageId}: answered ${wordsOf(answer)}, and again ${wordsOf(again)}`);
      }
    });
  }

  cancel(): void {
    this.cancels += 1;
    this.#do(
      async () => void (await requestUntilAnswered(this.#chat, `/api/turns/${this.#plan.turnId}/cancel`, {})),
    );
  }

  /**
   * Lets people act after the end of the turn: they repeat their replies, contradict them, and send messages into it.
   */
  comeLate(): void {
    const [request] = this.#shown;
    if (request && this.#random.chance(0.3)) this.#do(() => this.#replyTo(request));
    const [accepted] = this.replies.filter(({ status }) => status === 200);
    if (request && accepted && accepted.inputId === request.inputId && this.#random.chance(0.3)) {
      this.#do(() => this.#send(request, { reply: request.options.at(-1) ?? 'deny', ...hashOf(request) }));
    }
    if (this.#random.chance(0.2)) this.say();
  }

  #do(work: () => Promise<unknown>): void {
    this.#work.push(work());
  }

  async #replyTo(request: ShownRequest): Promise<void> {
    const random = this.#random;
    const reply = random.chance(0.95) ? (random.pick(request.options) ?? 'deny') : 'keep_going';
    const isForged = request.argsHash !== undefined && NAMES_HASH.has(reply) && random.chance(0.1);
    const isDoubled = random.chance(0.3);
    const body = { reply, ...bodyOf(request, reply), ...(isForged && { argsHash: 'f'.repeat(64) }) };
    await delay(random.below(400));
    const [first, again] = await Promise.all([
      this.#send(request, body, isForged),
      isDoubled ? this.#send(request, body, isForged) : undefined,
    ]);
    // A reply that is not offered is refused as such while its request is open, and later because the request is
    // closed.
    const isTaken = [first, again].some((each) => each?.status === 200);
    if (isTaken && again && again.status !== first.status) {
      this.differences.push(`${request.inputId}: ${reply} was ${first.status}, and again ${again.status}`);
    }
  }

  /** Replies from another project, and about another turn with the hash of this one. */
  async #replyAsForeigner(request: ShownRequest): Promise<void> {
    const [reply = 'deny'] = request.options;
    const body = { reply, ...bodyOf(request, reply) };
    const outsider = await requestUntilAnswered(this.#outsider, pathOf(request.inputId), body);
    this.#note(request, { reply, isForged: false, isForeign: true }, outsider);
    if (request.argsHash === undefined) return;
    const other = `schedule-${this.#plan.seed - 1}/1`;
    const answer = await requestUntilAnswered(this.#chat, pathOf(other), body);
    this.#note({ inputId: other }, { reply, isForged: false, isForeign: true }, answer);
  }

  async #send(
    request: ShownRequest,
    body: { readonly reply: string; readonly [field: string]: unknown },
    isForged = false,
  ): Promise<FinalAnswer> {
    const answer = await requestUntilAnswered(this.#chat, pathOf(request.inputId), {
      ...bodyOf(request, body.reply),
      ...body,
    });
    this.#note(request, { reply: body.reply, isForged, isForeign: false }, answer);
    return answer;
  }

  #note(
    { inputId }: Pick<ShownRequest, 'inputId'>,
    sent: Pick<AnsweredReply, 'reply' | 'isForged' | 'isForeign'>,
    answer: FinalAnswer,
  ): void {
    this.replies.push({ inputId, ...sent, ...answer });
  }
}

const hasFoundNoTurn = ({ body }: FinalAnswer): boolean => body['code'] === 'turn_not_found';

const withoutUnfoundTurn = ([one, other]: readonly [FinalAnswer, FinalAnswer | undefined]): [
  FinalAnswer,
  FinalAnswer?,
] => {
  if (other && hasFoundNoTurn(one)) return [other];
  return other && !hasFoundNoTurn(other) ? [one, other] : [one];
};

const wordsOf = ({ status, body }: FinalAnswer): string =>
  [status, body['state'], body['code']].map(String).join(' ');

const pathOf = (inputId: string): string => `/api/turns/${inputId.replace('/', '/inputs/')}`;

const hashOf = ({ argsHash }: ShownRequest): object => (argsHash === undefined ? {} : { argsHash });

/** Returns the fields that a reply of this kind has besides `reply`. */
const bodyOf = (request: ShownRequest, reply: string): object => {
  switch (reply) {
    case 'allow':
    case 'allow_turn':
      return hashOf(request);
    case 'edit':
      return { ...hashOf(request), arguments: editedOf(request) };
    case 'answer':
      return { content: 'Blue.' };
    case 'result':
      return { ok: true, content: 'Clicked.' };
    default:
      return {};
  }
};

/** Returns edited arguments that name the same file, so that its effects can be counted. */
const editedOf = ({ arguments: text = '{}' }: ShownRequest): object => {
  const shown = JSON.parse(text) as Record<string, unknown>;
  return 'command' in shown
    ? { ...shown, command: `true; ${String(shown['command'])}` }
    : { ...shown, content: 'y' };
};
