import { createHash } from 'node:crypto';
import type { AcceptedSteer } from '../../../src/contracts/inputs/steering.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { SteerQueue } from '../../../src/protocol/inputs/steer-queue.ts';
import type { InputRequestSpec, InputPort } from '../../../src/protocol/ports/input-port.ts';
import type { ModelPort } from '../../../src/protocol/ports/model-port.ts';
import { createProtocol } from '../../../src/protocol/protocols/protocol-registry.ts';
import { Random } from '../../support/random.ts';
import { fakeTurn, toolCall } from '../../support/fake-ports.ts';
import { type AnswerParts, modelAnswer } from '../support/scripted-answers.ts';
import { Repliers, ReplayedRequests } from './reply-people.ts';
import { DyingWorkers } from './reply-tools.ts';

const AT = '2026-01-05T09:00:00.000Z';
const MAX_EVENTS = 20_000;
const PATHS = ['a', 'b', 'c'];

/** What may happen in a schedule between the protocol's own steps, each action with its weight. */
const ACTIONS = [
  ['nothing', 12],
  ['reply', 14],
  ['say', 2],
  ['touch', 1],
  ['kill', 1],
  ['expire', 2],
  ['cancel', 0.25],
] as const;
type Action = (typeof ACTIONS)[number][0];
const ALL = ACTIONS.reduce((sum, [, weight]) => sum + weight, 0);

/** One turn, the people around it, and the workers that die under it; the seed determines all of it. */
export class ReplyWorld {
  readonly random: Random;
  readonly events: TurnEvent[] = [];
  readonly requests = new ReplayedRequests();
  readonly steers = new SteerQueue();
  readonly repliers: Repliers;
  readonly workers: DyingWorkers;
  /** The messages that were accepted, in order. */
  readonly accepted: string[] = [];
  /** What was asked in each request, by input id. */
  readonly asked = new Map<string, InputRequestSpec>();
  readonly counted: Map<string, number>;
  readonly #cancellation = { isRequested: false };
  /** The version of each file, by its path. */
  readonly #versions = new Map<string, number>();
  #said = 0;
  #prepared = 0;
  #mayExpire = false;
  #unapplied: readonly AcceptedSteer[] = [];

  constructor(seed: number, counted = new Map<string, number>()) {
    this.random = new Random(seed);
    this.counted = counted;
    this.repliers = new Repliers(this.random, this.requests, 2 + this.random.below(4));
    this.workers = new DyingWorkers(this.random, this.#cancellation, {
      hashOf: (call) => this.#hashOf(call),
      meanwhile: () => this.act(),
    });
  }

  get unapplied(): readonly string[] {
    return this.#unapplied.map(({ messageId }) => messageId);
  }

  get isCancelled(): boolean {
    return this.#cancellation.isRequested;
  }

  async run(): Promise<void> {
    const { random } = this;
    const { context } = fakeTurn({
      adapter: this.#model(),
      inputs: this.#inputs(),
      cancellation: this.#cancellation,
      steers: this.steers,
      tools: this.workers,
      config: { maxPhaseCycles: random.below(5) },
    });
    const protocol = random.chance(0.5) ? 'two_stage' : 'standard';
    for await (const event of createProtocol(protocol, context).executeStreaming(context)) {
      this.events.push(event);
      if (event.type === 'input_requested') this.repliers.see(event);
      if (event.type !== 'done' && event.type !== 'error') this.act();
      if (this.events.length > MAX_EVENTS) throw new Error('the turn does not end');
    }
    this.requests.do((requests) => requests.abandon());
    this.#unapplied = this.steers.close();
    await this.workers.close(context.requestId);
    for (let late = random.below(6); late > 0; late -= 1) this.act();
  }

  act(): void {
    const deed = this.#drawn();
    if (deed !== 'nothing') this.#count(deed);
    switch (deed) {
      case 'reply':
        return this.repliers.act();
      case 'say':
        return this.#say();
      case 'touch':
        return this.#touch(this.random.pick(PATHS) ?? '');
      case 'kill':
        return this.requests.kill();
      case 'expire':
        this.#mayExpire = true;
        return;
      case 'cancel':
        this.#cancellation.isRequested = true;
        return;
      case 'nothing':
        return;
      default:
        return deed satisfies never;
    }
  }

  #drawn(): Action {
    let left = this.random.next() * ALL;
    for (const [deed, weight] of ACTIONS) if ((left -= weight) < 0) return deed;
    return 'nothing';
  }

  #count(what: string): void {
    this.counted.set(what, (this.counted.get(what) ?? 0) + 1);
  }

  #say(): void {
    const again = this.random.chance(0.2) && this.#said > 0;
    if (!again) this.#said += 1;
    const message = { messageId: `m${this.#said}`, content: `said ${this.#said}` };
    if (this.steers.judge(message).kind !== 'counts') return;
    this.accepted.push(message.messageId);
    const when = this.random.chance(0.3) ? 'now' : 'boundary';
    this.steers.accept({ ...message, when, by: { kind: 'local' }, at: AT });
  }

  /** Has somebody else change a file. */
  #touch(path: string): void {
    this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
  }

  #hashOf({ function: { name, arguments: text } }: ToolCall): string {
    const path = /"path":"(\w+)"/.exec(text)?.[1] ?? '';
    const seen = `${name} ${text} ${this.#versions.get(path) ?? 0}`;
    return createHash('sha256').update(seen).digest('hex');
  }

  #model(): ModelPort {
    const { random } = this;
    const path = () => ({ path: random.pick(PATHS) });
    const answers: (() => AnswerParts)[] = [
      () => ({ text: 'Answer.' }),
      () => ({ calls: [toolCall('Files_write', path())] }),
      () => ({ calls: [toolCall('Files_write', path())] }),
      () => ({ calls: [toolCall('Files_write', path()), toolCall('Mail_send', path(), 'call_2')] }),
      () => ({ calls: [toolCall('Mail_send', path())] }),
      () => ({ calls: [toolCall('Files_read', path())] }),
      () => ({ calls: [toolCall('User_ask', { question: 'Which?' })] }),
      () => ({ calls: [toolCall('app_click', path())] }),
      () => ({ error: new Error('broke') }),
    ];
    return {
      callModel: async () => {
        this.act();
        await Promise.resolve();
        this.act();
        const isOver = this.isCancelled || this.steers.hasInterrupt;
        const end = this.isCancelled ? 'cancelled' : isOver ? 'steered' : 'stop';
        const said = isOver ? {} : (random.pick(answers)?.() ?? {});
        const usage = { promptTokens: 1, completionTokens: 1 };
        return modelAnswer({ usage, end, ...said });
      },
    };
  }

  /** Asks and waits as the workflow does in `workflows/turn/activity-backed-inputs.ts`. */
  #inputs(): InputPort {
    return {
      policy: { rules: [], setting: 'writes' },
      recordAskDecision: (kind) => kind !== 'commit',
      prepare: (ask) => this.#prepare(ask),
      wait: (event) => this.#wait(event.default),
    };
  }

  #prepare(ask: InputRequestSpec): ReturnType<InputPort['prepare']> {
    this.act();
    this.#prepared += 1;
    const inputId = `r1/${this.#prepared}`;
    this.asked.set(inputId, ask);
    const { call, kind } = ask;
    const approves = call !== undefined && kind === 'approval';
    const shown = {
      ...(call && { arguments: call.function.arguments }),
      ...(approves && { argsHash: this.#hashOf(call) }),
    };
    return Promise.resolve({ kind: 'ready', shown, inputId, expiresAt: AT });
  }

  async #wait(fallback: Parameters<InputPort['wait']>[0]['default']): ReturnType<InputPort['wait']> {
    const inputId = `r1/${this.#prepared}`;
    const ask = this.asked.get(inputId);
    if (!ask) throw new Error('wait: expected a request');
    const argsHash = ask.kind === 'approval' && ask.call ? this.#hashShown(inputId) : undefined;
    this.requests.do((requests) =>
      requests.open({
        inputId,
        options: ask.options,
        default: fallback,
        ...(argsHash !== undefined && { argsHash }),
        ...(ask.refusalFor && { refusalFor: ask.refusalFor }),
      }),
    );
    this.#mayExpire = false;
    while (this.requests.reader.resolutionOf(inputId) === undefined) {
      if (this.isCancelled) {
        this.requests.do((requests) => requests.abandon());
        throw new Error('cancelled');
      }
      const by = this.steers.hasInterrupt ? 'steer' : this.#mayExpire ? 'expiry' : undefined;
      if (by) this.requests.do((requests) => requests.takeDefault(inputId, by, AT));
      else this.act();
      await Promise.resolve();
    }
    // The default is taken whatever ended the wait, and whatever else has happened by then.
    const resolution = this.requests.do((requests) => requests.takeDefault(inputId, 'expiry', AT));
    this.#count(`resolved by ${resolution.by.kind}`);
    const { replyHash: _, ...event } = resolution;
    return {
      event: { type: 'input_resolved', ...event, ...this.#editedHash(ask, resolution.arguments) },
      waitedMs: 0,
      ...(resolution.arguments !== undefined && { arguments: resolution.arguments }),
      ...((resolution.reply === 'answer' || resolution.reply === 'result') && {
        answer: { ok: true, content: 'Blue.' },
      }),
    };
  }

  #hashShown(inputId: string): string | undefined {
    const event = this.events.findLast((one) => one.type === 'input_requested' && one.inputId === inputId);
    return event?.type === 'input_requested' ? event.argsHash : undefined;
  }

  /** Returns the hash that goes with an edit, which approves the call in the form in which it would run. */
  #editedHash({ call }: InputRequestSpec, text: string | undefined): { argsHash?: string } {
    if (!call || text === undefined) return {};
    return { argsHash: this.#hashOf({ ...call, function: { ...call.function, arguments: text } }) };
  }
}
