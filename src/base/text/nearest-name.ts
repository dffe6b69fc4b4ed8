/**
 * Largest number of edits between a mistyped name and the name that is meant. With more of them, other words would be
 * taken for names.
 */
const MAX_EDITS = 2;

/**
 * Returns the name that a person may have meant: the one with the fewest edits, at most two and fewer than half of its
 * letters. Returns undefined if no name is that near, or if `text` itself is one of the names.
 */
export const nearestName = (text: string, names: readonly string[]): string | undefined => {
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(text, name);
    if (edits === 0) return undefined;
    if (edits <= MAX_EDITS && edits * 2 < name.length && edits < (nearest?.edits ?? Infinity)) {
      nearest = { name, edits };
    }
  }
  return nearest?.name;
};

/**
 * Returns the number of edits between two texts (Damerau and Levenshtein): letters added, left out, changed, or swapped
 * with a neighbour. Texts whose lengths differ by more than `MAX_EDITS` are not compared, and the result is then
 * `MAX_EDITS + 1`.
 */
const editsBetween = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return MAX_EDITS + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const costs = [(last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1];
      costs.push((last[column - 1] ?? 0) + (isSame ? 0 : 1));
      if (isSwap) costs.push((beforeLast[column - 2] ?? 0) + 1);
      current.push(Math.min(...costs));
    }
    [beforeLast, last] = [last, current];
  }
  return last.at(-1) ?? 0;
};
