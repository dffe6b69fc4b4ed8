import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import type { FeedResult, ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import type { SessionKeepAlive } from '../write-session/session-keep-alive.ts';
import type { AttemptOutput } from './attempt-output.ts';
import type { ModelTrace } from './model-trace.ts';
import { ToolCallThrottle } from './tool-call-throttle.ts';

interface DisplayTargets {
  readonly output: Pick<AttemptOutput, 'emit'>;
  readonly trace: Pick<ModelTrace, 'said'>;
  readonly keepAlive: Pick<SessionKeepAlive, 'touch'>;
}

/**
 * Shows readers one answer of the model while it streams: text at once, and calls when `ToolCallThrottle` lets them
 * pass. Text also goes to the trace, and it keeps open the write session that takes it.
 */
export class AnswerDisplay {
  readonly #reader: ModelStreamReader;
  readonly #targets: DisplayTargets;
  readonly #throttle = new ToolCallThrottle();

  /** `reader` is the one that reads the answer. */
  constructor(reader: ModelStreamReader, targets: DisplayTargets) {
    this.#reader = reader;
    this.#targets = targets;
  }

  /** Shows what one delta has changed. */
  show({ chunks, haveCallsChanged }: FeedResult): void {
    const { output, trace, keepAlive } = this.#targets;
    for (const chunk of chunks) {
      output.emit(chunk);
      trace.said(chunk.content);
      keepAlive.touch();
    }
    if (!haveCallsChanged) return;
    const { callCharacters } = this.#reader;
    this.#showCalls(this.#throttle.push(callCharacters, () => this.#reader.calls(), Date.now()));
  }

  /** Shows the final calls, unless they were shown already. Call it when the reader has ended. */
  end(): void {
    this.#showCalls(this.#throttle.flush());
  }

  #showCalls(calls: readonly ToolCall[] | undefined): void {
    if (calls) this.#targets.output.emit({ type: 'tool_calls', calls: [...calls] });
  }
}
