import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import type { Screen } from '../render/screen.ts';
import { OutputLines } from './output-lines.ts';
import type { RequestAnswerer } from './request-answerer.ts';
import { replyHint, requestLines } from './request-lines.ts';
import { toolDetails, toolLine, toolSubject } from './tool-line.ts';
import type { ToolResultDetails } from './tool-results.ts';
import type { FrameViewer } from './watch-turn.ts';

type Event<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;

export interface NarratorOptions {
  readonly screen: Screen;
  /**
   * `notices` shows what Orion itself says, `tools` also a line for each tool, `details` also its arguments and result.
   */
  readonly telling: 'notices' | 'tools' | 'details';
  readonly resultOf: (callId: string) => Promise<ToolResultDetails | undefined>;
  /** Answers requests of the turn here; absent: another terminal has to. */
  readonly answerer?: RequestAnswerer | undefined;
}

/** Reports on stderr what goes on beside the answer; on a terminal with a status line. */
export class Narrator implements FrameViewer {
  readonly #options: NarratorOptions;
  /** Calls of the newest answer; a result gives only the id of its call. */
  #calls: readonly ToolCall[] = [];
  /** The output of the newest command, by its call. */
  #output: { readonly callId: string; readonly lines: OutputLines } | undefined;

  constructor(options: NarratorOptions) {
    this.#options = options;
  }

  frame({ event }: Parameters<FrameViewer['frame']>[0]): void | Promise<void> {
    const { screen } = this.#options;
    switch (event.type) {
      case 'phase':
        return screen.status(event.phase === 'tool' ? this.#running() : 'thinking');
      case 'chunk':
        if (event.notice !== undefined) screen.say(event.content.trim());
        return;
      case 'tool_calls':
        this.#calls = event.calls;
        return screen.status(this.#running());
      case 'tool_result':
        return this.#tellTool(event);
      case 'write_session':
        return this.#tellSession(event);
      case 'input_requested':
        return this.#tellRequest(event);
      case 'input_resolved':
        return this.#tellReply(event);
      case 'steer':
        screen.say(`> ${event.content.replaceAll('\n', '\n  ')}`);
        return screen.status('thinking');
      case 'reset':
        return screen.status('thinking again: the model call is repeated');
      case 'done':
      case 'error':
        this.close();
        return screen.clearStatus();
      default:
        return event satisfies never;
    }
  }

  output(output: ToolOutput): void {
    const { screen, telling } = this.#options;
    const { callId } = output;
    if (telling === 'notices') return;
    if (this.#output?.callId !== callId) this.#output = { callId, lines: new OutputLines() };
    const { lines } = this.#output;
    this.#mention(lines.take(output));
    screen.status([this.#running(), safeInLine(lines.newest)].filter(Boolean).join(' · '));
  }

  close(): void {
    this.#options.answerer?.close();
  }

  /** The line of the running call, the first of several in an answer; its arguments may still be arriving. */
  #running(): string {
    const [call] = this.#calls;
    if (call === undefined) return 'running a tool';
    const { name, arguments: args } = call.function;
    return `running ${toolSubject({ name, args })}`;
  }

  async #tellTool({ callId, name, ok }: Event<'tool_result'>): Promise<void> {
    const { screen, telling, resultOf } = this.#options;
    if (telling === 'notices') return;
    const args = this.#calls.find(({ id }) => id === callId)?.function.arguments ?? '';
    const outcome = { name, args, ok, ...(await resultOf(callId)) };
    if (this.#output?.callId === callId) this.#mention(this.#output.lines.end());
    this.#output = undefined;
    screen.mention(toolLine(outcome));
    if (telling === 'details') for (const line of toolDetails(outcome)) screen.mention(line);
  }

  #mention(lines: readonly string[]): void {
    for (const line of lines) this.#options.screen.mention(`  │ ${safeInLine(line)}`);
  }

  #tellRequest(request: InputRequested): void {
    const { screen, answerer } = this.#options;
    const { green, red } = screen.colors;
    for (const line of requestLines(request)) {
      screen.say(/^ {2}\+/.test(line) ? green(line) : /^ {2}-/.test(line) ? red(line) : line);
    }
    if (answerer) return answerer.open(request);
    screen.say(replyHint(request));
    screen.status(`waiting for a reply to ${request.inputId}`);
  }

  #tellReply({ inputId, reply, by, note }: Event<'input_resolved'>): void {
    const { screen, answerer } = this.#options;
    answerer?.close();
    const why = note === undefined ? '' : `: ${safeInLine(note)}`;
    screen.mention(`${inputId}: ${reply} (${safeInLine(by.name ?? by.kind)})${why}`);
    screen.status('thinking');
  }

  #tellSession({ stage, target, sessionId }: Event<'write_session'>): void {
    const { screen, telling } = this.#options;
    if (stage === 'begun' && telling !== 'notices') {
      screen.mention(`✎ writing ${safeInLine(target)} (session ${sessionId})`);
    }
    if (stage === 'content_complete') screen.status(`saving ${safeInLine(target)}`);
  }
}
