/** A key press or paste at the keyboard. `chord` is named as in `ctrl-a`, `alt-left`, `shift-enter`, `escape`. */
export type KeyPress =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'chord'; readonly chord: string };

const PASTE_END = '\u001B[201~';
/** Matches a control sequence of ECMA-48. No key sends a longer one. */
const CSI = /^\u001B{1,2}\[([0-?]{0,40})([ -/]{0,4})([@-~])/;
const UNFINISHED_CSI = /^\u001B{1,2}\[[0-?]{0,40}[ -/]{0,4}$/;
const SS3 = /^\u001B{1,2}O([A-Za-z])/;

const KEY_BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  M: 'enter',
};
const KEY_BY_NUMBER: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  7: 'home',
  8: 'end',
};
/** Code points of kitty's keyboard protocol that are no characters, including those of the keypad. */
const KEY_BY_CODE: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57_414: 'enter',
  57_417: 'left',
  57_418: 'right',
  57_419: 'up',
  57_420: 'down',
  57_423: 'home',
  57_424: 'end',
  57_426: 'delete',
};

/** Keys whose code, without kitty's protocol, is the same as that of Ctrl with this character. */
const KEY_BY_CTRL_LETTER: Readonly<Record<string, string>> = {
  h: 'backspace',
  i: 'tab',
  m: 'enter',
  '[': 'escape',
};

/**
 * Reads keys and pastes from what a terminal sends, wherever the input is cut: legacy sequences, those of kitty and
 * xterm for keys that had none, and bracketed pastes (xterm "ctlseqs"). Other sequences are left out.
 */
export class KeyDecoder {
  /** The end of the input, which is not decoded yet. */
  #undecoded = '';
  #paste: string[] | undefined;

  /** Returns the keys and pastes that are complete with this input. */
  feed(input: string): KeyPress[] {
    this.#undecoded += input;
    const keys: KeyPress[] = [];
    for (;;) {
      const before = this.#undecoded;
      keys.push(...(this.#paste ? this.#takePaste(this.#paste) : this.#takeKey()));
      if (this.#undecoded === before) return keys;
    }
  }

  /** True when an unfinished sequence is kept, whose escape may also be the Escape key. */
  get isUndecided(): boolean {
    return this.#undecoded !== '' && this.#paste === undefined;
  }

  /**
   * Decides about an unfinished sequence, since nothing came for a while: a lone escape is the Escape key, and anything
   * else is dropped.
   */
  flush(): KeyPress[] {
    const isEscape = this.#undecoded === '\u001B';
    if (!this.#paste) this.#undecoded = '';
    return isEscape ? [chord('escape')] : [];
  }

  /**
   * Takes the text of a paste, which ends only with its end marker. The marker may be cut, so its length is kept back.
   */
  #takePaste(parts: string[]): KeyPress[] {
    const end = this.#undecoded.indexOf(PASTE_END);
    if (end < 0) {
      const safeLength = Math.max(0, this.#undecoded.length - PASTE_END.length);
      parts.push(this.#undecoded.slice(0, safeLength));
      this.#undecoded = this.#undecoded.slice(safeLength);
      return [];
    }
    const text = parts.join('') + this.#undecoded.slice(0, end);
    this.#undecoded = this.#undecoded.slice(end + PASTE_END.length);
    this.#paste = undefined;
    // Terminals send the line breaks of a paste as the Enter key.
    return [{ kind: 'paste', text: text.replaceAll(/\r\n?/g, '\n') }];
  }

  #takeKey(): KeyPress[] {
    const [text = ''] = /^[^\u0000-\u001F\u007F]+/.exec(this.#undecoded) ?? [];
    if (text !== '') {
      this.#undecoded = this.#undecoded.slice(text.length);
      return [{ kind: 'text', text }];
    }
    if (this.#undecoded.startsWith('\u001B')) return this.#takeSequence();
    const control = this.#undecoded.slice(0, 1);
    this.#undecoded = this.#undecoded.slice(1);
    return control === '' ? [] : [keyOfControl(control)];
  }

  #takeSequence(): KeyPress[] {
    const csi = CSI.exec(this.#undecoded);
    if (csi) {
      this.#undecoded = this.#undecoded.slice(csi[0].length);
      const [all, parameters = '', , final = ''] = csi;
      if (final === '~' && parameters === '200') this.#paste = [];
      return withAlt(all, keysOfCsi(parameters, final));
    }
    const ss3 = SS3.exec(this.#undecoded);
    if (ss3) {
      this.#undecoded = this.#undecoded.slice(ss3[0].length);
      return withAlt(ss3[0], keysOfCsi('', ss3[1] ?? ''));
    }
    if (/^\u001B{1,2}O?$/.test(this.#undecoded) || UNFINISHED_CSI.test(this.#undecoded)) return [];
    return this.#takeAlt();
  }

  /**
   * Takes an escape and the character after it, which together mean Alt and the character. Two escapes are the Escape
   * key.
   */
  #takeAlt(): KeyPress[] {
    const [, character = ''] = /^.([^])/u.exec(this.#undecoded) ?? [];
    this.#undecoded = this.#undecoded.slice(1 + character.length);
    if (character === '\u001B') return [chord('escape')];
    if (!/[\u0000-\u001F\u007F]/.test(character)) return [chord(`alt-${character.toLowerCase()}`)];
    const key = keyOfControl(character);
    return key.kind === 'chord' ? [{ kind: 'chord', chord: `alt-${key.chord}` }] : [];
  }
}

/** Returns the key of a control character. The last of them is Ctrl-_, whose code with 96 added is that of DEL. */
const keyOfControl = (character: string): KeyPress => {
  if (character === '\r') return chord('enter');
  if (character === '\t') return chord('tab');
  if (character === '\u007F' || character === '\b') return chord('backspace');
  return chord(`ctrl-${String.fromCharCode(character.charCodeAt(0) + 96).replace('\u007F', '_')}`);
};

/** Adds Alt to keys whose sequence has one more escape in front, which is how some terminals send Alt. */
const withAlt = (sequence: string, keys: KeyPress[]): KeyPress[] =>
  sequence.startsWith('\u001B\u001B')
    ? keys.map((key) => (key.kind === 'chord' ? { kind: 'chord', chord: `alt-${key.chord}` } : key))
    : keys;

const keysOfCsi = (parameters: string, final: string): KeyPress[] => {
  const fields = parameters.split(';');
  // Locks (caps, num) are modifiers, too, and change nothing here.
  const modifiers = ((numberAt(fields, 1) ?? 1) - 1) & 7;
  if (final === 'u') {
    const code = numberAt(fields, 0) ?? 0;
    // The character of the key with Shift comes second, the key of a Latin layout third.
    const shifted = (modifiers & 1) === 0 ? undefined : numberAt(fields, 0, 1);
    return keysOfCode(code, shifted ?? numberAt(fields, 0, 2) ?? code, modifiers);
  }
  if (final === 'Z') return [chord('shift-tab')];
  if (final === '~' && fields[0] === '27') {
    const code = numberAt(fields, 2) ?? 0;
    return keysOfCode(code, code, modifiers);
  }
  const name = final === '~' ? KEY_BY_NUMBER[fields[0] ?? ''] : KEY_BY_LETTER[final];
  return name === undefined ? [] : [chord(name, modifiers)];
};

const numberAt = (fields: readonly string[], index: number, part = 0): number | undefined => {
  const text = fields[index]?.split(':')[part];
  return text === undefined || text === '' ? undefined : Number(text);
};

/**
 * Returns the key with the character code `code`, as in kitty's `CSI code;modifiers u` and xterm's `CSI
 * 27;modifiers;code ~`. Returns none if the code means no key. `base` is the code to use for Ctrl and Alt. The bits of
 * `modifiers` are 1 for Shift, 2 for Alt and 4 for Ctrl.
 */
const keysOfCode = (code: number, base: number, modifiers: number): KeyPress[] => {
  const name = KEY_BY_CODE[code];
  if (name !== undefined) return [chord(name, modifiers)];
  if (!isCharacterCode(code)) return [];
  // Ctrl and Alt go by the key's place: on a Cyrillic layout Ctrl-C is the key where C is.
  const letter = String.fromCodePoint(isCharacterCode(base) ? base : code).toLowerCase();
  const legacy = modifiers === 4 ? KEY_BY_CTRL_LETTER[letter] : undefined;
  if (legacy !== undefined) return [chord(legacy)];
  if ((modifiers & 6) !== 0) return [chord(letter, modifiers & 6)];
  return [{ kind: 'text', text: String.fromCodePoint(code) }];
};

/** Reports whether a code is that of a character. kitty uses private codes for keys without one. */
const isCharacterCode = (code: number): boolean =>
  code >= 32 && code <= 0x10_ff_ff && !(code >= 57_344 && code <= 63_743);

const chord = (name: string, modifiers = 0): KeyPress => {
  const modifierNames = [modifiers & 4 && 'ctrl-', modifiers & 2 && 'alt-', modifiers & 1 && 'shift-'];
  return { kind: 'chord', chord: modifierNames.filter(Boolean).join('') + name };
};
