/** Returns the item at index `n` of a list that begins again after its last item. */
export const nth = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
