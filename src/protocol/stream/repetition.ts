import type { StreamOptions } from '../../contracts/model/stream-options.ts';
import { bordersOf } from '../../write-session/linear-search.ts';

const MAY_BECOME_FENCE = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const OPENING_FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;
/** Characters of a line that are kept: no fence is longer, and a line without end must not grow in memory. */
const MAX_FENCE_LINE_CHARACTERS = 200;

/** Lets through only the text outside of markdown code fences. */
class FenceFilter {
  #state: 'line-start' | 'text' | 'opening-line' | 'fenced' = 'line-start';
  #line = '';
  #fence = '';

  /** Returns the characters that are now known to be text; a line's first ones wait until they cannot be a fence. */
  push(char: string): string {
    if (char === '\n') return this.#endLine();
    if (this.#state === 'text') return char;
    if (this.#line.length < MAX_FENCE_LINE_CHARACTERS) this.#line += char;
    return this.#state === 'line-start' ? this.#beginLine() : '';
  }

  /** Returns how many characters of `text`, from `from` on, are certainly text, because their line is. */
  plainFrom(text: string, from: number): number {
    if (this.#state !== 'text') return 0;
    const end = text.indexOf('\n', from);
    return (end === -1 ? text.length : end) - from;
  }

  #beginLine(): string {
    if (MAY_BECOME_FENCE.test(this.#line)) return '';
    this.#state = OPENING_FENCE.test(this.#line) ? 'opening-line' : 'text';
    return this.#state === 'text' ? this.#line : '';
  }

  #endLine(): string {
    const line = this.#line;
    const state = this.#state;
    this.#line = '';
    this.#state = this.#stateAfter(line);
    if (state === 'line-start') return `${line}\n`;
    return state === 'text' ? '\n' : '';
  }

  #stateAfter(line: string): 'line-start' | 'fenced' {
    if (this.#state === 'opening-line') {
      this.#fence = OPENING_FENCE.exec(line)?.[1] ?? '';
      return 'fenced';
    }
    const closes = CLOSING_FENCE.exec(line)?.[1]?.startsWith(this.#fence);
    return this.#state === 'fenced' && !closes ? 'fenced' : 'line-start';
  }
}

/**
 * Characters that are looked at; when a short unit fills them by itself, they are repetition (docs/protocol.md "What
 * counts").
 */
const WINDOW = 4_000;
/** Characters of a repeated unit, at most. */
const MAX_UNIT_CHARACTERS = 300;
/** Characters between two looks at the window: cheap, and the verdict depends on the text, not on its chunks. */
const STEP = 200;

/** Length of the shortest unit whose repetition gives `text` (the last one may be cut), by Knuth-Morris-Pratt. */
const shortestUnit = (text: string): number => text.length - (bordersOf(text).at(-1) ?? 0);

/** Characters that are too few to be called repetition. */
const MIN_TAIL = 400;
const MIN_TIMES = 3;

/**
 * Tells if at least the last half of a text is one short unit repeated: for whole texts that are shorter than the
 * window that is looked at while an answer streams.
 */
export const endsInRepetition = (text: string): boolean => {
  const tail = text.slice(-Math.max(MIN_TAIL, Math.ceil(text.length / 2))).slice(-WINDOW);
  const unit = shortestUnit(tail);
  return tail.length >= MIN_TAIL && unit <= MAX_UNIT_CHARACTERS && unit * MIN_TIMES <= tail.length;
};

/** Characters that a text seldom repeats within a unit's reach. */
const PROBE = 64;

/**
 * Tells if a unit may fill `text`: its end would then be found once more, one unit earlier. This rules out most texts
 * cheaply.
 */
const mayHaveUnit = (text: string): boolean =>
  text.slice(-PROBE - MAX_UNIT_CHARACTERS, -1).includes(text.slice(-PROBE));

/** Finds a model that repeats itself: the verdict on a text is the same however it is cut into chunks. */
export class RepetitionDetector {
  readonly #outside = new FenceFilter();
  #recent = '';
  #seen = 0;

  /**
   * Takes the next text of a model call. Returns the length of the part at whose end it is repetition, or undefined.
   */
  scan(text: string): number | undefined {
    for (let at = 0; at < text.length;) {
      const run = Math.min(this.#outside.plainFrom(text, at), STEP - (this.#seen % STEP));
      const added = run > 0 ? text.slice(at, at + run) : this.#outside.push(text.charAt(at));
      at += Math.max(run, 1);
      if (this.#add(added) && this.#isRepetition()) return at;
    }
    return undefined;
  }

  /** Adds text; returns true when it is time to look at the window. */
  #add(text: string): boolean {
    const before = this.#seen;
    this.#recent += text;
    this.#seen += text.length;
    return Math.floor(before / STEP) !== Math.floor(this.#seen / STEP);
  }

  #isRepetition(): boolean {
    this.#recent = this.#recent.slice(-WINDOW);
    if (this.#recent.length < WINDOW || !mayHaveUnit(this.#recent)) return false;
    return shortestUnit(this.#recent) <= MAX_UNIT_CHARACTERS;
  }
}

/** Returns the detector for one model call; none for the content of a file, which may consist of equal rows. */
export const repetitionDetector = ({
  writeSession,
}: Pick<StreamOptions, 'writeSession'>): RepetitionDetector | undefined =>
  writeSession === undefined ? new RepetitionDetector() : undefined;
