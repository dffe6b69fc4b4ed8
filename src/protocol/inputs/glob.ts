/** One part of a pattern: a character, `?`, `*` (not across `/`) or `**`. */
type GlobPart = string | { readonly any: 'one' | 'name' | 'all' };

/**
 * Reports whether a pattern matches a whole text. `*` matches any characters except `/`, `**` any characters, and `?`
 * one character except `/`. All places of the pattern that may be reached are followed at the same time, without going
 * back, so no text makes this slow: it takes at most one step for each place and each character.
 */
export const matchesGlob = (glob: string, text: string): boolean => {
  const parts = partsOf(glob);
  let places = new Uint8Array(parts.length + 1);
  let next = new Uint8Array(parts.length + 1);
  reach(parts, 0, places);
  for (const character of text) {
    next.fill(0);
    parts.forEach((part, index) => {
      if (places[index] === 1 && takes(part, character)) reach(parts, isStar(part) ? index : index + 1, next);
    });
    if (!next.includes(1)) return false;
    [places, next] = [next, places];
  }
  return places[parts.length] === 1;
};

const partsOf = (glob: string): readonly GlobPart[] =>
  (glob.match(/\*\*+|\*|\?|[^*?]/gu) ?? []).map((text) => {
    if (text === '?') return { any: 'one' };
    if (text === '*') return { any: 'name' };
    return text.startsWith('*') ? { any: 'all' } : text;
  });

/**
 * Marks the place `index`: all parts before it have matched. If stars follow, the places behind them are marked, too,
 * because a star may match nothing.
 */
const reach = (parts: readonly GlobPart[], index: number, places: Uint8Array): void => {
  places[index] = 1;
  for (let next = index; isStar(parts[next]); next += 1) places[next + 1] = 1;
};

const takes = (part: GlobPart, character: string): boolean => {
  if (typeof part === 'string') return part === character;
  return part.any === 'all' || character !== '/';
};

const isStar = (part: GlobPart | undefined): boolean => typeof part === 'object' && part.any !== 'one';
