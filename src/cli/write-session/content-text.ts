import { DoneDetector, findDone } from '../../write-session/done-detector.ts';
import { withoutFence } from '../../write-session/code-fence.ts';
import { separatorAfter, withoutSeparator } from '../../write-session/text-separator.ts';

/**
 * The text of a file as it comes out of a turn, from the begin of its session on, in one or several action phases. It
 * is given the turn's surviving text, and reads it by the turn's own rules (docs/write-sessions.md "In a turn").
 */
export class ContentText {
  /** Phases by where they begin in the turn's text, with the separator that Orion put before their first word. */
  readonly #phases: { readonly start: number; readonly lead: string }[] = [];
  #detector = new DoneDetector();
  #said = '';

  /** Begins the next action phase; `said`: the turn's text before it. */
  beginPhase(said: string): void {
    this.#said = said;
    const last = this.#phases.at(-1);
    if (last?.start === said.length) this.#phases.pop();
    this.#phases.push({ start: said.length, lead: separatorAfter(said) });
  }

  push(chunk: string): void {
    this.#said += chunk;
    this.#detector.push(chunk);
  }

  /** Takes a reset, after which only `said` is left of the turn's text. */
  withdraw(said: string): void {
    this.#said = said;
    this.#detector = new DoneDetector();
    this.#detector.push(said.slice(this.#phases[0]?.start ?? said.length));
  }

  /** True when something was said, so that a silence has a meaning. */
  get hasBegun(): boolean {
    return this.#said.length > (this.#phases[0]?.start ?? 0);
  }

  /** True when the end marker has been given, as things stand. */
  get isDone(): boolean {
    return this.#detector.isDone;
  }

  /** Returns the file's text; `isComplete`: it has its end marker. */
  finish(): { readonly text: string; readonly isComplete: boolean } {
    const text = this.#phases
      .map(({ start, lead }, i) =>
        withoutSeparator(this.#said.slice(start, this.#phases[i + 1]?.start), lead),
      )
      .join('');
    const mark = findDone(text);
    if (mark.kind === 'none') return { text, isComplete: false };
    const content = text.slice(0, mark.contentLength);
    return { text: withoutFence(content) ?? content, isComplete: true };
  }
}
