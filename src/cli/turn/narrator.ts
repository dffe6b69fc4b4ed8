import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import type { Colors } from '../render/colors.ts';
import type { Screen } from '../render/screen.ts';
import { OutputLines } from './output-lines.ts';
import type { InputRequestResponder } from './input-request-responder.ts';
import { replyHint, inputRequestLines } from './input-request-lines.ts';
import { toolDetails, toolLine, toolSubject } from './tool-line.ts';
import type { ToolResultDetails } from './tool-results.ts';
import type { FrameViewer } from './watch-turn.ts';

type Event<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;

export interface NarratorDeps {
  readonly screen: Screen;
  /**
   * `notices` shows what Orion itself says, `tools` also a line for each tool, `details` also its arguments and result.
   */
  readonly verbosity: 'notices' | 'tools' | 'details';
  readonly readResult: (callId: string) => Promise<ToolResultDetails | undefined>;
  /** Replies to requests of the turn. Without one, people reply from another terminal. */
  readonly responder?: InputRequestResponder | undefined;
}

/** Reports on stderr what the turn does besides its answer; a terminal also gets a status line. */
export class Narrator implements FrameViewer {
  readonly #deps: NarratorDeps;
  /**
   * The tool calls of the newest answer. They are kept because the event of a result has no arguments, only id and name
   * of its call.
   */
  #calls: readonly ToolCall[] = [];
  /** The output of the newest command, with the id of its call. */
  #output: { readonly callId: string; readonly lines: OutputLines } | undefined;

  constructor(deps: NarratorDeps) {
    this.#deps = deps;
  }

  onFrame({ event }: Parameters<FrameViewer['onFrame']>[0]): void | Promise<void> {
    const { screen } = this.#deps;
    switch (event.type) {
      case 'phase':
        return screen.showStatus(event.phase === 'tool' ? this.#runningText() : 'thinking');
      case 'chunk':
        if (event.notice !== undefined) screen.report(event.content.trim());
        return;
      case 'tool_calls':
        this.#calls = event.calls;
        return screen.showStatus(this.#runningText());
      case 'tool_result':
        return this.#reportTool(event);
      case 'write_session':
        return this.#reportSession(event);
      case 'input_requested':
        return this.#reportRequest(event);
      case 'input_resolved':
        return this.#reportReply(event);
      case 'steer':
        screen.report(`> ${event.content.replaceAll('\n', '\n  ')}`);
        return screen.showStatus('thinking');
      case 'reset':
        return screen.showStatus('thinking again: the model call is repeated');
      case 'done':
      case 'error':
        this.onClose();
        return screen.clearStatus();
      default:
        return event satisfies never;
    }
  }

  onOutput(output: ToolOutput): void {
    const { screen, verbosity } = this.#deps;
    const { callId } = output;
    if (verbosity === 'notices') return;
    if (this.#output?.callId !== callId) this.#output = { callId, lines: new OutputLines() };
    const { lines } = this.#output;
    this.#reportOutput(lines.push(output));
    screen.showStatus([this.#runningText(), safeInLine(lines.newest)].filter(Boolean).join(' · '));
  }

  onClose(): void {
    this.#deps.responder?.close();
  }

  /**
   * Returns the status of the running call, for which the first call of the newest answer is taken. Its arguments may
   * still be arriving.
   */
  #runningText(): string {
    const [call] = this.#calls;
    if (call === undefined) return 'running a tool';
    const { name, arguments: args } = call.function;
    return `running ${toolSubject({ name, args })}`;
  }

  async #reportTool({ callId, name, ok }: Event<'tool_result'>): Promise<void> {
    const { screen, verbosity, readResult } = this.#deps;
    if (verbosity === 'notices') return;
    const args = this.#calls.find(({ id }) => id === callId)?.function.arguments ?? '';
    const outcome = { name, args, ok, ...(await readResult(callId)) };
    if (this.#output?.callId === callId) this.#reportOutput(this.#output.lines.end());
    this.#output = undefined;
    screen.reportDimmed(toolLine(outcome));
    if (verbosity === 'details') for (const line of toolDetails(outcome)) screen.reportDimmed(line);
  }

  #reportOutput(lines: readonly string[]): void {
    for (const line of lines) this.#deps.screen.reportDimmed(`  │ ${safeInLine(line)}`);
  }

  #reportRequest(request: InputRequested): void {
    const { screen, responder } = this.#deps;
    for (const line of inputRequestLines(request)) screen.report(coloredDiffLine(line, screen.colors));
    if (responder) return responder.open(request);
    screen.report(replyHint(request));
    screen.showStatus(`waiting for a reply to ${request.inputId}`);
  }

  #reportReply({ inputId, reply, by, note }: Event<'input_resolved'>): void {
    const { screen, responder } = this.#deps;
    responder?.close();
    const noteText = note === undefined ? '' : `: ${safeInLine(note)}`;
    screen.reportDimmed(`${inputId}: ${reply} (${safeInLine(by.name ?? by.kind)})${noteText}`);
    screen.showStatus('thinking');
  }

  #reportSession({ stage, target, sessionId }: Event<'write_session'>): void {
    const { screen, verbosity } = this.#deps;
    if (stage === 'begun' && verbosity !== 'notices') {
      screen.reportDimmed(`✎ writing ${safeInLine(target)} (session ${sessionId})`);
    }
    if (stage === 'content_complete') screen.showStatus(`saving ${safeInLine(target)}`);
  }
}

/** Colours a line of a request if it is one of a diff that adds or removes something. */
const coloredDiffLine = (line: string, { green, red }: Colors): string => {
  if (line.startsWith('  +')) return green(line);
  return line.startsWith('  -') ? red(line) : line;
};
