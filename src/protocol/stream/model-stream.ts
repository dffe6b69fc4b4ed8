import type { TokenUsage } from '../../contracts/model/model-message.ts';
import { MAX_CALLS_PER_ANSWER, type ToolCall } from '../../contracts/tools/tool-call.ts';
import { safeText, wholeLength } from '../../contracts/values/safe-text.ts';
import { OutputBudget } from './output-budget.ts';
import type { RawDelta } from './raw-delta.ts';
import { createRepetitionDetector, type RepetitionDetector } from './repetition.ts';
import { estimateUsage } from './token-usage.ts';
import { type CallDelta, ToolCallAssembler } from './tool-call-assembler.ts';
import type { ModelStopReason, StreamOptions } from '../../contracts/model/stream-options.ts';

/** The options that the reader needs. With `tools: false`, as for a forced answer, calls of the model are ignored. */
export type ModelStreamOptions = Pick<StreamOptions, 'stopAt' | 'lead' | 'tokenBudget' | 'writeSession'> &
  Partial<Pick<StreamOptions, 'tools'>>;

interface ChunkEvent {
  readonly type: 'chunk';
  readonly content: string;
}

/** What one delta has changed. `chunks` are to be shown before the calls. */
export interface FeedResult {
  readonly chunks: readonly ChunkEvent[];
  readonly haveCallsChanged: boolean;
  readonly shouldStop: boolean;
}

interface DoneEvent {
  readonly type: 'done';
  /** All text that may be shown. */
  readonly fullContent: string;
  /** Why reading ended. Absent when the provider named no reason, or when the stream broke off by itself. */
  readonly finishReason?: ModelStopReason;
  readonly usage: TokenUsage;
}

const FINISH_REASONS: ReadonlyMap<string, ModelStopReason> = new Map([
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
]);

/**
 * Turns the raw deltas of one model call into text and calls, and says when to read no further. Cut positions do not
 * matter: the same stream in other pieces gives the same text and the same calls.
 */
export class ModelStreamReader {
  readonly #options: ModelStreamOptions;
  readonly #assembler = new ToolCallAssembler();
  readonly #safeText = new SafeTextStream();
  readonly #repetition: RepetitionDetector | undefined;
  readonly #budget: OutputBudget;
  #fullContent = '';
  /**
   * Text after a call that looks complete. It is shown if the call continues or proves malformed, or if the provider
   * cuts the answer (finish reason `length`). It is not shown when the token budget of the turn ends the answer.
   */
  #heldText = '';
  #usage: TokenUsage | undefined;
  #finishReason: ModelStopReason | undefined;
  #isTerminated = false;
  #stopReason: ModelStopReason | undefined;
  #haveCallsChanged = false;

  constructor(options: ModelStreamOptions) {
    this.#options = options;
    this.#repetition = createRepetitionDetector(options);
    this.#budget = new OutputBudget(options.tokenBudget);
  }

  /** True when the stream ended properly or was read as far as wanted. A stream that just stops before that was cut. */
  get isTerminated(): boolean {
    return this.#isTerminated || this.#stopReason !== undefined;
  }

  /**
   * Takes one delta. Returns what may be shown of it, whether the calls have changed, and whether to read no further.
   * The calls themselves come from `calls`: returning all of them with every delta would take quadratic time.
   */
  feed(delta: RawDelta): FeedResult {
    this.#haveCallsChanged = false;
    const chunks = this.#stopReason === undefined ? this.#handle(delta) : [];
    return { chunks, haveCallsChanged: this.#haveCallsChanged, shouldStop: this.#stopReason !== undefined };
  }

  /** Returns all calls so far, merged. Returns none while no call has a name and the stream is not over. */
  calls(): readonly ToolCall[] {
    return this.#assembler.isNamed || this.#isTerminated ? this.#assembler.calls() : [];
  }

  /** Number of characters of output so far: text, reasoning and calls, as far as the token budget allows them. */
  get characters(): number {
    return this.#budget.characters;
  }

  /** Number of characters in the names and arguments of all calls so far. */
  get callCharacters(): number {
    return this.#assembler.characters;
  }

  /**
   * Returns the last event of the call. `end` is the caller's reason to stop reading. It counts only if neither this
   * reader nor the stream had ended the call before.
   */
  end(end?: 'time' | 'cancelled' | 'steered'): DoneEvent {
    const finishReason = this.#stopReason ?? (this.#isTerminated ? this.#finishReason : end);
    return {
      type: 'done',
      fullContent: this.#fullContent,
      ...(finishReason !== undefined && { finishReason }),
      usage: this.#usage ?? estimateUsage(this.characters),
    };
  }

  #handle(delta: RawDelta): ChunkEvent[] {
    switch (delta.type) {
      case 'text':
        return this.#isTerminated
          ? []
          : this.#handleText(this.#safeText.push(delta.text), delta.isBeforeCalls);
      case 'call':
        return this.#isTerminated ? [] : this.#handleCall(delta);
      case 'calls':
        return this.#isTerminated ? [] : this.#replaceCalls(delta.calls);
      case 'reasoning':
        this.#takeOutput(delta.text);
        return [];
      case 'usage':
        this.#usage = delta.usage;
        return [];
      case 'finish':
        return this.#terminate(FINISH_REASONS.get(delta.reason) ?? 'stop');
      case 'end':
        return this.#terminate(undefined);
      default:
        return delta satisfies never;
    }
  }

  #handleText(text: string, isBeforeCalls = false): ChunkEvent[] {
    const allowed = this.#takeOutput(text);
    if (this.#awaitsProof() && !isBeforeCalls) {
      this.#heldText += allowed;
      return [];
    }
    return this.#emit(allowed);
  }

  #handleCall(delta: CallDelta): ChunkEvent[] {
    this.#takeOutput((delta.name ?? '') + (delta.arguments ?? ''));
    if (this.#options.tools === false) return [];
    return this.#afterCalls(this.#assembler.add(delta));
  }

  #replaceCalls(calls: readonly ToolCall[]): ChunkEvent[] {
    if (this.#options.tools === false) return [];
    const before = this.#assembler.characters;
    const hasFirstCallChanged = this.#assembler.replace(calls);
    this.#budget.spend(Math.max(0, this.#assembler.characters - before));
    this.#stopBeyondBudget();
    return this.#afterCalls(hasFirstCallChanged);
  }

  #afterCalls(hasFirstCallChanged: boolean): ChunkEvent[] {
    this.#haveCallsChanged = this.#assembler.isNamed;
    if (this.#assembler.size > MAX_CALLS_PER_ANSWER) this.#stopReason ??= 'tool_calls';
    if (this.#options.stopAt === 'first-complete-call' && this.#assembler.isFirstFinished) {
      this.#stopReason ??= 'tool_calls';
    }
    return hasFirstCallChanged ? this.#release() : [];
  }

  #terminate(finish: ModelStopReason | undefined): ChunkEvent[] {
    if (this.#isTerminated) return [];
    this.#isTerminated = true;
    this.#finishReason = finish;
    this.#assembler.close();
    this.#haveCallsChanged = this.#assembler.size > 0;
    // Held text is dropped if the call before it is complete now. The end `length` proves no call.
    const showsHeldText = finish === 'length' || !this.#awaitsProof();
    return showsHeldText ? [...this.#release(), ...this.#emit(this.#safeText.flush())] : [];
  }

  #awaitsProof(): boolean {
    return this.#options.stopAt === 'first-complete-call' && this.#assembler.mayFirstBeFinished;
  }

  #release(): ChunkEvent[] {
    const held = this.#heldText;
    this.#heldText = '';
    return this.#emit(held);
  }

  #emit(text: string): ChunkEvent[] {
    if (text === '') return [];
    const content = this.#fullContent === '' ? this.#options.lead + text : text;
    const cutAt = this.#repetition?.scan(content);
    if (cutAt !== undefined) this.#stopReason ??= 'repetition';
    const cut = content.slice(0, cutAt);
    const shown = cut.slice(0, wholeLength(cut));
    this.#fullContent += shown;
    return [{ type: 'chunk', content: shown }];
  }

  #takeOutput(output: string): string {
    const allowed = this.#budget.take(output);
    this.#stopBeyondBudget();
    return allowed;
  }

  #stopBeyondBudget(): void {
    if (this.#budget.isExceeded) this.#stopReason ??= 'tokens';
  }
}

/** Makes a stream of fragments safe to store, wherever the provider cut it. A split emoji comes out whole. */
class SafeTextStream {
  #incompleteEnd = '';

  /** Returns the text that can be shown now that `fragment` has arrived. It may be empty. */
  push(fragment: string): string {
    const text = this.#incompleteEnd + fragment;
    const whole = wholeLength(text);
    this.#incompleteEnd = text.slice(whole);
    return safeText(text.slice(0, whole));
  }

  /** Returns the rest at the end: U+FFFD for half a character, otherwise nothing. */
  flush(): string {
    const rest = safeText(this.#incompleteEnd);
    this.#incompleteEnd = '';
    return rest;
  }
}
