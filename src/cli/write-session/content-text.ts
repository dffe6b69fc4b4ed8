import { DoneDetector, findDone } from '../../write-session/done-detector.ts';
import { withoutCodeFence } from '../../write-session/code-fence.ts';
import { separatorAfter, withoutSeparator } from '../../write-session/text-separator.ts';

/**
 * The text of a file as a turn writes it, in one or several action phases after its session has begun. It is taken from
 * the turn's surviving text by the same rules that the turn applies (docs/write-sessions.md "In a turn").
 */
export class ContentText {
  /**
   * Where each phase begins in the turn's text, with the separator that Orion put before the first word of the phase.
   */
  readonly #phases: { readonly start: number; readonly separator: string }[] = [];
  #detector = new DoneDetector();
  #turnText = '';

  /** Begins the next action phase. `textBefore` is the turn's text before it. */
  beginPhase(textBefore: string): void {
    this.#turnText = textBefore;
    const last = this.#phases.at(-1);
    // Drops a phase in which nothing was written.
    if (last?.start === textBefore.length) this.#phases.pop();
    this.#phases.push({ start: textBefore.length, separator: separatorAfter(textBefore) });
  }

  /** Adds text that the model wrote after the text so far. */
  push(chunk: string): void {
    this.#turnText += chunk;
    this.#detector.push(chunk);
  }

  /** Applies a reset, after which only `remaining` is left of the turn's text. */
  withdraw(remaining: string): void {
    this.#turnText = remaining;
    this.#detector = new DoneDetector();
    this.#detector.push(remaining.slice(this.#phases[0]?.start ?? remaining.length));
  }

  /** True when the model has written something, so that a pause may mean that it has finished. */
  get hasBegun(): boolean {
    return this.#turnText.length > (this.#phases[0]?.start ?? 0);
  }

  /** True when the text so far has its end marker. */
  get isDone(): boolean {
    return this.#detector.isDone;
  }

  /** Returns the file's text so far. `isComplete` is true if the text had its end marker, which is left out. */
  read(): { readonly text: string; readonly isComplete: boolean } {
    const text = this.#phases
      .map(({ start, separator }, i) =>
        withoutSeparator(this.#turnText.slice(start, this.#phases[i + 1]?.start), separator),
      )
      .join('');
    const mark = findDone(text);
    if (mark.kind === 'none') return { text, isComplete: false };
    const content = text.slice(0, mark.contentLength);
    return { text: withoutCodeFence(content) ?? content, isComplete: true };
  }
}
