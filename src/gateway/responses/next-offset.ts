/**
 * Returns the offset at which a list of `total` entries continues after a page of `count`, which may be less than was
 * asked for. Returns null at the end of the list, and after an empty page.
 */
export const nextOffsetOf = (
  { offset }: { readonly offset: number },
  count: number,
  total: number,
): number | null => (count > 0 && offset + count < total ? offset + count : null);
