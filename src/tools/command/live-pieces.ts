import { StringDecoder } from 'node:string_decoder';
import type { CommandStream } from '../../contracts/wire/tool-output.ts';
import type { LiveOutput } from '../tool.ts';
import { plainText } from './captured-output.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Number of characters of one call's output after which nothing more is shown live. The result has the end of the
 * output.
 */
const MAX_CHARACTERS = 256 * KIB;
/**
 * Time in milliseconds between two rounds. A round passes on at most one piece of each of the two streams, so there are
 * at most 10 pieces a second.
 */
const INTERVAL_MS = 200;
/**
 * Largest number of bytes that are shown of one chunk of output. While a stream has as many characters waiting, further
 * chunks are left out.
 */
const MAX_AT_ONCE = 32 * KIB;
const LEFT_OUT = '\n… more than is shown here; the result has its end …\n';

const STREAMS = ['stdout', 'stderr'] as const;

/** Passes on what a command says while it runs: the first words at once, then a few times a second. */
export class LivePieces {
  readonly #emit: (output: LiveOutput) => void;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  readonly #waiting: Record<CommandStream, string> = { stdout: '', stderr: '' };
  #timer: NodeJS.Timeout | undefined;
  #emittedCharacters = 0;

  constructor(emit: (output: LiveOutput) => void) {
    this.#emit = emit;
  }

  /** Adds output of a stream. What is beyond a limit is left out here; the result may still have it. */
  add(stream: CommandStream, bytes: Buffer): void {
    if (this.#emittedCharacters >= MAX_CHARACTERS || this.#waiting[stream].length >= MAX_AT_ONCE) return;
    this.#waiting[stream] += plainText(this.#decoders[stream].write(bytes.subarray(0, MAX_AT_ONCE)));
    if (this.#timer === undefined) this.#flush();
  }

  /** Passes on what waits; nothing is passed on afterwards. */
  end(): void {
    clearTimeout(this.#timer);
    this.#flush();
    clearTimeout(this.#timer);
    this.#emittedCharacters = MAX_CHARACTERS;
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    for (const stream of STREAMS) this.#tellPiece(stream);
  };

  #tellPiece(stream: CommandStream): void {
    const piece = this.#waiting[stream];
    if (piece === '' || this.#emittedCharacters >= MAX_CHARACTERS) return;
    this.#waiting[stream] = '';
    this.#emittedCharacters += piece.length;
    const content = this.#emittedCharacters >= MAX_CHARACTERS ? piece + LEFT_OUT : piece;
    this.#emit({ stream, content: content.toWellFormed() });
    this.#timer ??= setTimeout(this.#flush, INTERVAL_MS);
  }
}
