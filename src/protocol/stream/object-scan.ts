const WHITE_SPACE = new Set([' ', '\t', '\n', '\r']);

/** Returns the characters from `start` to before `end` of everything that was read, the current fragment included. */
type Slice = (start: number, end: number) => string;

/**
 * Finds the end of the JSON object at the beginning of a growing text, and whether everything after it is the same
 * object again. It reads each character only once, so that asking after every delta costs nothing. It only counts
 * brackets outside of strings: whether the object is valid JSON is for `JSON.parse` to say.
 */
export class ObjectScan {
  #state: 'before' | 'inside' | 'after' | 'again' | 'broken' = 'before';
  #index = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #start = 0;
  #end = 0;
  #object: string | undefined;
  /** Number of characters of the repeated object that have matched so far. */
  #matched = 0;
  #isRepeated = false;

  /** True when the object is closed, and nothing follows it except blanks and the same object, whole or in part. */
  get isClosed(): boolean {
    return this.#state === 'after' || this.#state === 'again';
  }

  /** The index after the closing bracket of the object. 0 until the object is closed. */
  get end(): number {
    return this.#end;
  }

  /** True when the text after `end` is the object again, or its beginning so far. */
  get isRepeated(): boolean {
    return this.#isRepeated && this.#state !== 'broken';
  }

  /** Takes the next characters. `slice` returns earlier ones, which are needed only if an object follows the first. */
  read(fragment: string, slice: Slice): void {
    for (let i = 0; i < fragment.length && this.#state !== 'broken'; i += 1) {
      this.#take(fragment.charAt(i), slice);
      this.#index += 1;
    }
  }

  /** Ends the text. An object that is repeated only in part then breaks it. */
  close(): void {
    if (this.#state === 'again') this.#state = 'broken';
  }

  #take(character: string, slice: Slice): void {
    switch (this.#state) {
      case 'before':
        if (character === '{') this.#open();
        else this.#expectBlank(character);
        return;
      case 'inside':
        this.#follow(character);
        return;
      case 'after':
        if (character === '{') this.#repeat(slice);
        else this.#expectBlank(character);
        return;
      case 'again':
        this.#compare(character);
        return;
      case 'broken':
        return;
      default:
        this.#state satisfies never;
    }
  }

  #expectBlank(character: string): void {
    if (!WHITE_SPACE.has(character)) this.#state = 'broken';
  }

  #open(): void {
    this.#state = 'inside';
    this.#start = this.#index;
    this.#depth = 1;
  }

  #follow(character: string): void {
    if (this.#isInString) this.#followString(character);
    else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
    if (this.#depth > 0) return;
    this.#state = 'after';
    this.#end = this.#index + 1;
  }

  #followString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #repeat(slice: Slice): void {
    this.#object ??= slice(this.#start, this.#end);
    this.#state = 'again';
    this.#isRepeated = true;
    this.#matched = 0;
    this.#compare('{');
  }

  #compare(character: string): void {
    const object = this.#object ?? '';
    if (character !== object[this.#matched]) {
      this.#state = 'broken';
      return;
    }
    this.#matched += 1;
    if (this.#matched === object.length) this.#state = 'after';
  }
}
