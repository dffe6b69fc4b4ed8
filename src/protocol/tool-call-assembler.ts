import { safeText } from '../contracts/safe-text.ts';
import type { ToolCall } from '../contracts/tool-call.ts';
import { ArgumentText } from './argument-text.ts';
import { wholeLength } from './safe-text-stream.ts';
import { looksComplete } from './tool-arguments.ts';

/** One provider delta of a tool call; every field may be absent or empty. */
export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

interface OpenCall {
  id: string;
  name: string;
  readonly arguments: ArgumentText;
}

/**
 * Control characters are invalid in JSON strings, so a NUL in arguments must stay one: as U+FFFD it would repair
 * the JSON, and repaired JSON is never executed.
 */
const safeArguments = (text: string): string =>
  safeText(text.replaceAll('\0', '\u0001').slice(0, wholeLength(text)));

/** A name comes whole, in fragments, or again with every delta. */
const mergeNames = (known: string, name: string): string => (name.startsWith(known) ? name : known + name);

/**
 * Merges raw deltas into calls (protocol.md "Complete call"): by index, else by id; a delta whose id is new opens
 * a new call. The one assembler of every adapter.
 */
export class ToolCallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #firstIsProven = false;

  /** The first call is finished for certain: the next one began while its arguments already parsed. */
  get firstIsProven(): boolean {
    return this.#firstIsProven;
  }

  /** The first call could be finished: only a later delta or the end of the stream can tell. */
  get firstLooksComplete(): boolean {
    const first = this.#calls[0];
    return first !== undefined && looksComplete(first.name, safeArguments(first.arguments.text));
  }

  get size(): number {
    return this.#calls.length;
  }

  get named(): boolean {
    return this.#calls.some((call) => call.name.trim() !== '');
  }

  /** Takes one delta; true when it belongs to the first call. */
  add(delta: CallDelta): boolean {
    const call = this.#find(delta) ?? this.#open();
    if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    if (delta.id) call.id = delta.id;
    if (delta.name) call.name = mergeNames(call.name, delta.name);
    call.arguments.append(delta.arguments ?? '');
    return call === this.#calls[0];
  }

  /** All calls so far, safe to store; a call the provider gave no id is named by its position. */
  calls(): ToolCall[] {
    return this.#calls.map((call, position) => ({
      id: safeText(call.id) || `call_${position}`,
      type: 'function',
      function: { name: safeText(call.name), arguments: safeArguments(call.arguments.text) },
    }));
  }

  #open(): OpenCall {
    if (this.#calls.length > 0) this.#firstIsProven ||= this.firstLooksComplete;
    const call: OpenCall = { id: '', name: '', arguments: new ArgumentText() };
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
    return last && name && looksComplete(last.name, last.arguments.text) ? undefined : last;
  }

  #byId(id: string): OpenCall | undefined {
    return this.#calls.find((call) => call.id === id);
  }
}
