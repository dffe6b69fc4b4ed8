import { safeText, wholeLength } from '../../contracts/values/safe-text.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { ArgumentText } from './argument-text.ts';

/** One provider delta of a tool call; every field may be absent or empty. */
export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** The most characters of a name or id. A longer name is cut, and a longer id is replaced. */
const MAX_LABEL_CHARACTERS = 256;

interface OpenCall {
  id: string;
  name: string;
  /** True when some of the name is not blank. */
  isNamed: boolean;
  readonly arguments: ArgumentText;
}

/**
 * Merges raw deltas into calls, by index, otherwise by id. A delta whose id is new opens a new call. Every adapter uses
 * this assembler. A delta takes time in proportion to its length. Only `calls` takes time in proportion to everything
 * so far.
 */
export class ToolCallAssembler {
  #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #isFirstFinished = false;
  #isNamed = false;
  #characters = 0;

  /**
   * True when the first call is certainly finished, because the next one began when its arguments already formed an
   * object.
   */
  get isFirstFinished(): boolean {
    return this.#isFirstFinished;
  }

  /** True when the first call looks complete. Only a later delta or the end of the stream shows whether it is. */
  get mayFirstBeFinished(): boolean {
    const first = this.#calls[0];
    return first !== undefined && mayBeFinished(first);
  }

  /** Number of calls so far, whether they are complete or not. */
  get size(): number {
    return this.#calls.length;
  }

  /** Number of characters in all names and arguments. */
  get characters(): number {
    return this.#characters;
  }

  /** True when any call has a name. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Takes one delta. Returns true if the arguments of the first call have changed. */
  add(delta: CallDelta): boolean {
    const call = this.#find(delta) ?? this.#open();
    if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    if (delta.id) call.id = delta.id;
    const { length } = call.arguments;
    this.#characters -= call.name.length + length;
    if (delta.name) this.#rename(call, delta.name);
    call.arguments.append(delta.arguments ?? '');
    this.#characters += call.name.length + call.arguments.length;
    return call === this.#calls[0] && call.arguments.length !== length;
  }

  /** Replaces all calls with `calls`. Returns true if the arguments of the first call have changed. */
  replace(calls: readonly ToolCall[]): boolean {
    const before = this.#calls[0]?.arguments.text;
    this.#calls = [];
    this.#byIndex.clear();
    this.#characters = 0;
    for (const {
      id,
      function: { name, arguments: text },
    } of calls) {
      const call: OpenCall = { id, name: '', isNamed: false, arguments: new ArgumentText() };
      this.#rename(call, name);
      call.arguments.append(text);
      this.#characters += call.name.length + call.arguments.length;
      this.#calls.push(call);
    }
    if (calls.length > 1) this.#isFirstFinished ||= this.mayFirstBeFinished;
    return this.#calls[0]?.arguments.text !== before;
  }

  /** Ends the stream, after which no call can change. */
  close(): void {
    for (const call of this.#calls) call.arguments.close();
  }

  /**
   * Returns all calls so far, safe to store. A call without a usable id gets one from its position: `call_0`, `call_1`,
   * …
   */
  calls(): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: { text } }, position) => ({
      id: (id.length <= MAX_LABEL_CHARACTERS && safeText(id)) || `call_${position}`,
      type: 'function',
      function: { name: safeText(name.slice(0, MAX_LABEL_CHARACTERS)), arguments: safeArguments(text) },
    }));
  }

  #rename(call: OpenCall, name: string): void {
    call.name = mergeNames(call.name, name);
    call.isNamed ||= name.trim() !== '';
    this.#isNamed ||= call.isNamed;
  }

  #open(): OpenCall {
    if (this.#calls.length > 0) this.#isFirstFinished ||= this.mayFirstBeFinished;
    const call: OpenCall = { id: '', name: '', isNamed: false, arguments: new ArgumentText() };
    this.#calls.push(call);
    return call;
  }

  #find({ index, id, name }: CallDelta): OpenCall | undefined {
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      const hasOtherId = id && call?.id && call.id !== id;
      return hasOtherId ? this.#byId(id) : call;
    }
    if (id) return this.#byId(id);
    const last = this.#calls.at(-1);
    // Providers that send neither ids nor indexes send whole calls, so a name after finished arguments begins the next
    // call.
    return last && name && mayBeFinished(last) ? undefined : last;
  }

  #byId(id: string): OpenCall | undefined {
    return this.#calls.find((call) => call.id === id);
  }
}

const mayBeFinished = (call: OpenCall): boolean => call.isNamed && call.arguments.isObject;

/**
 * Makes arguments safe to store. U+FFFD in place of a NUL would make invalid JSON valid, and a call must not run with
 * arguments that the model did not write. A NUL therefore becomes U+0001, which is as invalid in a JSON string.
 */
const safeArguments = (text: string): string =>
  safeText(text.replaceAll('\0', '\u0001').slice(0, wholeLength(text)));

/**
 * Adds a delta's `name` to the name that is known so far. Providers send a name whole, in fragments, or again with
 * every delta.
 */
const mergeNames = (known: string, name: string): string =>
  name.length >= known.length && name.startsWith(known) ? name : known + name;
