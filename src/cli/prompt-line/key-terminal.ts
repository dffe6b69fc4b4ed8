import { StringDecoder } from 'node:string_decoder';
import { KeyDecoder, type KeyPress } from './keys.ts';

export interface KeyTerminalOptions {
  readonly input: NodeJS.ReadStream;
  /** Writes sequences to the terminal. */
  readonly write: (text: string) => void;
  /** Called with keys and pastes that were read together. */
  readonly onKeys: (keys: readonly KeyPress[]) => void;
  /** Called when the input has ended, as when the terminal has hung up. */
  readonly onEnd: () => void;
  /** Called when this process runs again after `suspend`. */
  readonly onResume: () => void;
  readonly after: (ms: number, run: () => void) => () => void;
}

/**
 * Time in milliseconds to wait for the rest of a key. This is longer than a terminal usually takes between the bytes of
 * one key, and shorter than a person takes between two keys.
 */
const ESCAPE_MS = 60;

/**
 * Switches on two modes of the terminal. A terminal that does not know a mode ignores its sequence.
 *
 * - Pastes are marked as such (xterm's mode 2004).
 * - Keys without a code of their own can be told apart (kitty's keyboard protocol, flags 1 and 4).
 */
const ENABLE_KEY_MODES = '\u001B[?2004h\u001B[>5u';
const DISABLE_KEY_MODES = '\u001B[<u\u001B[?2004l';

/**
 * A terminal that is read key by key. While it is open, nothing that is typed is echoed, and Ctrl-C is a key. The shell
 * gets its terminal back as it was when this process exits or is ended by SIGTERM or SIGHUP, but not when another
 * signal such as SIGKILL ends it.
 */
export class KeyTerminal {
  readonly #options: KeyTerminalOptions;
  readonly #bytes = new StringDecoder('utf8');
  readonly #decoder = new KeyDecoder();
  #stopWaiting: (() => void) | undefined;
  #isOpen = false;
  /** True while the bytes that are read were typed before this class took the terminal. */
  #isTypedAhead = false;
  #ready = Promise.resolve();

  constructor(options: KeyTerminalOptions) {
    this.#options = options;
  }

  /**
   * Resolves when everything that was typed before this class took the terminal has been read. Keys that are read later
   * were typed by a person who could see what is drawn now.
   */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Takes the terminal: switches it to raw mode and begins to read keys. Call it once. */
  open(): void {
    const { input, onEnd } = this.#options;
    input.on('data', this.#onData);
    input.on('end', onEnd);
    process.on('exit', this.#leave);
    for (const signal of ENDING_SIGNALS) process.on(signal, this.#onSignal);
    this.#enter();
    input.resume();
  }

  /** Gives the terminal back, and reads nothing further. A key of which only a part has come is dropped. */
  close(): void {
    const { input, onEnd } = this.#options;
    this.#leave();
    this.#stopWaiting?.();
    input.off('data', this.#onData);
    input.off('end', onEnd);
    process.off('exit', this.#leave);
    for (const signal of ENDING_SIGNALS) process.off(signal, this.#onSignal);
    input.pause();
  }

  /** Handles Ctrl-Z: gives the terminal to the shell until the shell continues this process. */
  suspend(): void {
    this.#leave();
    process.once('SIGCONT', () => {
      this.#enter();
      void this.#ready.then(() => this.#options.onResume());
    });
    // Stops the whole group, as the terminal itself would, so that a launcher such as `npx` stops as well.
    process.kill(0, 'SIGTSTP');
  }

  #enter(): void {
    this.#isOpen = true;
    this.#isTypedAhead = true;
    this.#options.input.setRawMode(true);
    this.#options.write(ENABLE_KEY_MODES);
    // Bytes that the kernel holds are read in the next poll of the event loop, which lies between the two immediates.
    this.#ready = new Promise((resolve) => {
      setImmediate(() =>
        setImmediate(() => {
          this.#isTypedAhead = false;
          resolve();
        }),
      );
    });
  }

  readonly #leave = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.write(DISABLE_KEY_MODES);
    this.#options.input.setRawMode(false);
  };

  /** Leaves the terminal before a signal ends the process, because such an end has no `exit` event. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    try {
      this.#leave();
    } finally {
      process.off(signal, this.#onSignal);
      process.kill(process.pid, signal);
    }
  };

  readonly #onData = (data: Buffer | string): void => {
    this.#stopWaiting?.();
    const text = typeof data === 'string' ? data : this.#bytes.write(data);
    // Before raw mode, the kernel made a line feed of every Enter. In raw mode, a line feed is Ctrl-J.
    const keys = this.#decoder.feed(this.#isTypedAhead ? text.replaceAll('\n', '\r') : text);
    if (keys.length > 0) this.#options.onKeys(keys);
    if (!this.#decoder.isUndecided) return;
    this.#stopWaiting = this.#options.after(ESCAPE_MS, () => {
      const late = this.#decoder.flush();
      if (late.length > 0) this.#options.onKeys(late);
    });
  };
}

const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
