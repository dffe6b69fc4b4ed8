import type { SessionEnded } from '../../../src/contracts/write-session/session-messages.ts';
import type { ReplacedText } from '../../../src/contracts/write-session/write-session.ts';
import {
  type BegunSession,
  type KeepOutcome,
  outcomeOfEnded,
  type WriteSessionPort,
  type WrittenSession,
} from '../../../src/protocol/ports/write-session-port.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { readContent } from '../../../src/write-session/session-text.ts';

/**
 * Keeps sessions as the worker does, without a disk. `outcomeOf` returns the outcome of the n-th keep (0, 1, …), or
 * undefined for one that succeeds. `describeWriteSessionPort` checks it together with the port of the workflow.
 */
export class ScriptedSessions implements WriteSessionPort {
  readonly kept: WrittenSession[] = [];
  readonly withdrawn: string[] = [];
  readonly replaced: ReplacedText[] = [];
  readonly #outcomeOf: (n: number) => KeepOutcome | undefined;
  readonly #ended = new Map<string, SessionEnded>();

  constructor(outcomeOf: (n: number) => KeepOutcome | undefined = () => undefined) {
    this.#outcomeOf = outcomeOf;
  }

  /** Ends a session otherwise than by this turn. */
  end(ended: SessionEnded): void {
    this.#ended.set(ended.sessionId, ended);
  }

  async keep(written: WrittenSession): Promise<KeepOutcome> {
    const { content, phases, session } = written;
    const ended = this.#endOf(session.sessionId);
    if (ended) return ended;
    const { sha256 } = contentRefOf(readContent(phases).text);
    if (sha256 !== content.sha256) throw new Error('expected the content that the phases have');
    this.kept.push({ ...written, phases: [...phases] });
    const scripted = this.#outcomeOf(this.kept.length - 1);
    return scripted ?? (written.isComplete ? { kind: 'committed', content } : { kind: 'kept' });
  }

  async withdraw({ sessionId }: BegunSession): Promise<KeepOutcome | undefined> {
    this.withdrawn.push(sessionId);
    return this.#endOf(sessionId);
  }

  noteReplaced(replaced: ReplacedText): void {
    this.replaced.push(replaced);
  }

  #endOf(sessionId: string): KeepOutcome | undefined {
    const ended = this.#ended.get(sessionId);
    return ended && outcomeOfEnded(ended);
  }
}
