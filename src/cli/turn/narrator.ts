import type { ToolCall } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/turn-event.ts';
import { safeForTerminal } from '../render/safe-for-terminal.ts';
import type { Screen } from '../render/screen.ts';
import type { TurnViewer } from './turn-viewer.ts';

type Event<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;

/**
 * Says on stderr what goes on beside the answer: a status line on a terminal, notices always, and with `talkative`
 * a line for each tool and phase.
 */
export class Narrator implements TurnViewer {
  readonly #screen: Screen;
  readonly #talkative: boolean;
  #phase = '';

  constructor(screen: Screen, talkative: boolean) {
    this.#screen = screen;
    this.#talkative = talkative;
  }

  frame({ event }: Parameters<TurnViewer['frame']>[0]): void {
    switch (event.type) {
      case 'phase':
        return this.#beginPhase(event);
      case 'chunk':
        if (event.notice !== undefined) this.#screen.say(safeForTerminal(event.content.trim()));
        return;
      case 'tool_calls':
        return this.#screen.status(`${this.#phase} · ${event.calls.map(describeCall).join(', ')}`);
      case 'tool_result':
        return this.#tell(`${event.ok ? '✓' : '✗'} ${event.name} (${event.durationMs} ms)`);
      case 'write_session':
        return this.#tellSession(event);
      case 'reset':
        return this.#screen.status(`${this.#phase} · the model call is repeated`);
      case 'done':
      case 'error':
        return this.#screen.clearStatus();
      default:
        return event satisfies never;
    }
  }

  #beginPhase({ phase, index, cycle }: Event<'phase'>): void {
    this.#phase = `${phase} ${index}`;
    this.#screen.status(`${this.#phase} · cycle ${cycle}`);
  }

  #tellSession({ stage, target, sessionId }: Event<'write_session'>): void {
    if (stage === 'begun') this.#tell(`✎ writing ${safeForTerminal(target)} (session ${sessionId})`);
    if (stage === 'content_complete') this.#screen.status(`${this.#phase} · saving ${target}`);
  }

  #tell(line: string): void {
    if (this.#talkative) this.#screen.mention(line);
  }
}

/** Arguments may still be arriving, so they are looked at, not parsed. */
const describeCall = ({ function: { name, arguments: text } }: ToolCall): string => {
  const path = /"(?:path|target_file)"\s*:\s*"([^"]{1,80})"/.exec(text)?.[1];
  return path === undefined ? name : `${name} ${path}`;
};
