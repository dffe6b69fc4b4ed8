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

/** Characters that a name or id may have; a longer name is cut, a longer id left out. */
const MAX_LABEL_CHARACTERS = 256;

interface OpenCall {
  id: string;
  name: string;
  /** True when some of the name is not blank. */
  isNamed: boolean;
  readonly arguments: ArgumentText;
}

/**
 * Control characters are invalid in JSON strings, so a NUL in arguments must stay one: as U+FFFD it would repair
 * the JSON, and repaired JSON is never executed.
 */
const safeArguments = (text: string): string =>
  safeText(text.replaceAll('\0', '\u0001').slice(0, wholeLength(text)));

/** A name comes whole, in fragments, or again with every delta; this merges all three. */
const mergeNames = (known: string, name: string): string =>
  name.length >= known.length && name.startsWith(known) ? name : known + name;

const looksComplete = (call: OpenCall): boolean => call.isNamed && call.arguments.looksComplete;

/**
 * Merges raw deltas into calls, by index, otherwise by id. A delta whose id is new opens a new call. Every adapter uses
 * this assembler. A delta costs time in proportion to its length; only `calls` looks at all that came.
 */
export class ToolCallAssembler {
  #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #isFirstProven = false;
  #isNamed = false;
  #characters = 0;

  /** True when the first call is finished for certain: the next one began while its arguments already parsed. */
  get isFirstProven(): boolean {
    return this.#isFirstProven;
  }

  /** True when the first call could be finished: only a later delta or the end of the stream can tell. */
  get mayFirstBeComplete(): boolean {
    const first = this.#calls[0];
    return first !== undefined && looksComplete(first);
  }

  get size(): number {
    return this.#calls.length;
  }

  /** Characters of all names and arguments. */
  get characters(): number {
    return this.#characters;
  }

  /** True when any call has a name. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Takes one delta; returns true when the arguments of the first call have changed. */
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

  /** Takes all calls so far in place of earlier ones; returns true when the arguments of the first have changed. */
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
    if (calls.length > 1) this.#isFirstProven ||= this.mayFirstBeComplete;
    return this.#calls[0]?.arguments.text !== before;
  }

  /** Ends the stream: what only a later delta could have shown is decided now. */
  close(): void {
    for (const call of this.#calls) call.arguments.close();
  }

  /** Returns all calls so far, safe to store; a call that the provider gave no id is named by its position. */
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
    if (this.#calls.length > 0) this.#isFirstProven ||= this.mayFirstBeComplete;
    const call: OpenCall = { id: '', name: '', isNamed: false, arguments: new ArgumentText() };
    this.#calls.push(call);
    return call;
  }

  #find({ index, id, name }: CallDelta): OpenCall | undefined {
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      const isOther = id && call?.id && call.id !== id;
      return isOther ? this.#byId(id) : call;
    }
    if (id) return this.#byId(id);
    const last = this.#calls.at(-1);
    // Providers without ids and indexes send whole calls: a name after finished arguments is the next one.
    return last && name && looksComplete(last) ? undefined : last;
  }

  #byId(id: string): OpenCall | undefined {
    return this.#calls.find((call) => call.id === id);
  }
}
