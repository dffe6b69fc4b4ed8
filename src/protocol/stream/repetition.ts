import type { StreamOptions } from '../../contracts/payload/turn-activities.ts';
import { FenceFilter } from './fence-filter.ts';

/** docs/protocol.md "Duplicates", chanting: a unit of at most 300 characters fills the last 4,000. */
const WINDOW = 4_000;
const LONGEST_UNIT = 300;
/** Characters between two looks at the window: cheap, and the verdict depends on the text, not on its chunks. */
const STEP = 200;

/** Length of the shortest unit whose repetition gives `text` (the last one may be cut), by Knuth-Morris-Pratt. */
const shortestUnit = (text: string): number => {
  const borders = new Uint16Array(text.length);
  let border = 0;
  for (let i = 1; i < text.length; i += 1) {
    while (border > 0 && text[i] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[i] === text[border]) border += 1;
    borders[i] = border;
  }
  return text.length - border;
};

/**
 * Finds a model that chants. Used where a stream is read and again by the core, for adapters that do not look;
 * both must come to the same verdict on the same text, however it is cut into chunks.
 */
export class RepetitionDetector {
  readonly #outside = new FenceFilter();
  #recent = '';
  #seen = 0;

  /** Takes the next text of a model call; the length of the part up to which it is now a chant, else undefined. */
  scan(text: string): number | undefined {
    for (let i = 0; i < text.length; i += 1) {
      const before = this.#seen;
      const added = this.#outside.push(text.charAt(i));
      this.#recent += added;
      this.#seen += added.length;
      if (Math.floor(before / STEP) !== Math.floor(this.#seen / STEP) && this.#isChant()) return i + 1;
    }
    return undefined;
  }

  #isChant(): boolean {
    this.#recent = this.#recent.slice(-WINDOW);
    return this.#recent.length === WINDOW && shortestUnit(this.#recent) <= LONGEST_UNIT;
  }
}

/** The detector for one model call; none for the content of a file, which may consist of equal rows. */
export const repetitionDetector = ({
  writeSession,
}: Pick<StreamOptions, 'writeSession'>): RepetitionDetector | undefined =>
  writeSession === undefined ? new RepetitionDetector() : undefined;
