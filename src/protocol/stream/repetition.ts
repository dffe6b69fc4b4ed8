import type { StreamOptions } from '../../contracts/model/stream-options.ts';
import { bordersOf } from '../../contracts/values/knuth-morris-pratt.ts';

/**
 * The number of latest characters that are looked at. They are repetition if one short unit fills all of them
 * (docs/protocol.md "What counts").
 */
const WINDOW = 4_000;
/** The longest unit whose repetition counts, in characters. */
const MAX_UNIT_CHARACTERS = 300;
/**
 * Number of characters between two checks of the window. Checking seldom is cheap, and because the distance is fixed,
 * the verdict does not depend on how the text is cut into chunks.
 */
const STEP = 200;

/** Detects that a model repeats itself. The verdict on a text is the same however the text is cut into chunks. */
export class RepetitionDetector {
  readonly #outside = new FenceFilter();
  #recent = '';
  #seen = 0;

  /**
   * Takes the next text of a model call. Returns how many of its characters were read when repetition was found, or
   * undefined if none was.
   */
  scan(text: string): number | undefined {
    for (let index = 0; index < text.length;) {
      const run = Math.min(this.#outside.plainFrom(text, index), STEP - (this.#seen % STEP));
      const added = run > 0 ? text.slice(index, index + run) : this.#outside.push(text.charAt(index));
      index += Math.max(run, 1);
      if (this.#add(added) && this.#isRepetition()) return index;
    }
    return undefined;
  }

  /** Adds text. Returns true if it is time to look at the window. */
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

/**
 * Returns the detector for one model call. Returns undefined for the content of a file, which may consist of equal
 * rows.
 */
export const createRepetitionDetector = ({
  writeSession,
}: Pick<StreamOptions, 'writeSession'>): RepetitionDetector | undefined =>
  writeSession === undefined ? new RepetitionDetector() : undefined;

/** The least number of characters that count as repetition in `endsInRepetition`. */
const MIN_TAIL = 400;
/** The least number of times that a unit must occur for `endsInRepetition`. */
const MIN_TIMES = 3;

/**
 * Reports whether the last half of a text, but at least 400 and at most 4,000 characters, consists of one short unit.
 * It is for whole texts, which may be shorter than the window that is looked at while an answer streams.
 */
export const endsInRepetition = (text: string): boolean => {
  const tail = text.slice(-Math.max(MIN_TAIL, Math.ceil(text.length / 2))).slice(-WINDOW);
  const unit = shortestUnit(tail);
  return tail.length >= MIN_TAIL && unit <= MAX_UNIT_CHARACTERS && unit * MIN_TIMES <= tail.length;
};

/**
 * Returns the length of the shortest unit that fills `text` by repetition, by Knuth-Morris-Pratt. The last repetition
 * may be cut.
 */
const shortestUnit = (text: string): number => text.length - (bordersOf(text).at(-1) ?? 0);

/**
 * Length of the end of a text that `mayHaveUnit` searches for. A text that does not repeat itself seldom has the same
 * 64 characters twice close together.
 */
const PROBE = 64;

/**
 * Reports whether one unit may fill `text`: the end of the text would then occur once more, one unit earlier. This
 * rules out most texts cheaply.
 */
const mayHaveUnit = (text: string): boolean =>
  text.slice(-PROBE - MAX_UNIT_CHARACTERS, -1).includes(text.slice(-PROBE));

const MAY_BECOME_FENCE = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const OPENING_FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;
/**
 * Number of characters of a line that are kept to recognise a fence. Fences of models are far shorter, and a line
 * without an end must not fill the memory.
 */
const MAX_FENCE_LINE_CHARACTERS = 200;

/** Lets through only the text outside of markdown code fences. */
class FenceFilter {
  #state: 'line_start' | 'text' | 'opening_line' | 'fenced' = 'line_start';
  #line = '';
  #fence = '';

  /**
   * Takes one character. Returns the characters that are now known to be text: the first ones of a line wait until they
   * cannot be a fence.
   */
  push(character: string): string {
    if (character === '\n') return this.#endLine();
    if (this.#state === 'text') return character;
    if (this.#line.length < MAX_FENCE_LINE_CHARACTERS) this.#line += character;
    return this.#state === 'line_start' ? this.#beginLine() : '';
  }

  /** Returns how many characters of `text`, from the index `from`, belong to a line that is known to be text. */
  plainFrom(text: string, from: number): number {
    if (this.#state !== 'text') return 0;
    const end = text.indexOf('\n', from);
    return (end === -1 ? text.length : end) - from;
  }

  #beginLine(): string {
    if (MAY_BECOME_FENCE.test(this.#line)) return '';
    this.#state = OPENING_FENCE.test(this.#line) ? 'opening_line' : 'text';
    return this.#state === 'text' ? this.#line : '';
  }

  #endLine(): string {
    const line = this.#line;
    const state = this.#state;
    this.#line = '';
    this.#state = this.#stateAfter(line);
    if (state === 'line_start') return `${line}\n`;
    return state === 'text' ? '\n' : '';
  }

  #stateAfter(line: string): 'line_start' | 'fenced' {
    if (this.#state === 'opening_line') {
      this.#fence = OPENING_FENCE.exec(line)?.[1] ?? '';
      return 'fenced';
    }
    const closes = CLOSING_FENCE.exec(line)?.[1]?.startsWith(this.#fence);
    return this.#state === 'fenced' && !closes ? 'fenced' : 'line_start';
  }
}
