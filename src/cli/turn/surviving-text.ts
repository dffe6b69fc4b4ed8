import type { TurnFrame } from './follow-turn.ts';

interface Piece {
  readonly seq: number;
  readonly text: string;
}

/**
 * The model's text so far, without the text that resets withdrew and without notices of Orion: what `done.fullContent`
 * will be (docs/protocol.md).
 */
export class SurvivingText {
  #pieces: Piece[] = [];
  #text = '';
  #settledLength = 0;

  /** All of the text so far. */
  get text(): string {
    return this.#text;
  }

  /**
   * Length of the text that the running model call can no longer withdraw. A reset of a model call takes back only text
   * of its own step, and there is a phase event between two steps.
   */
  get settledLength(): number {
    return this.#settledLength;
  }

  /** Takes in the next frame of the turn. Frames must come in order, each once. */
  accept({ id, event }: TurnFrame): void {
    switch (event.type) {
      case 'chunk':
        if (event.notice === undefined) this.#append(seqOf(id), event.content);
        return;
      case 'reset':
        return this.#withdraw(event.fromSeq);
      case 'phase':
      case 'done':
      case 'error':
        this.#settledLength = this.#text.length;
        return;
      default:
        return;
    }
  }

  #append(seq: number, text: string): void {
    this.#pieces.push({ seq, text });
    this.#text += text;
  }

  #withdraw(fromSeq: number): void {
    this.#pieces = this.#pieces.filter(({ seq }) => seq < fromSeq);
    this.#text = this.#pieces.map(({ text }) => text).join('');
    this.#settledLength = Math.min(this.#settledLength, this.#text.length);
  }
}

/** Returns the `seq` of an id, which is `<epoch>-<seq>`. It counts through the whole turn, and resets refer to it. */
const seqOf = (id: string): number => Number(id.slice(id.indexOf('-') + 1));
