/** As much of a type as a test plays: names are those of the type, functions take and give what the test says. */
type PartOf<T> = T extends (...args: never[]) => unknown
  ? (...args: never[]) => unknown
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** A double of a large type by the part that is used; a name that the type does not have is no double of it. */
export const partOf = <T extends object>(part: PartOf<T>): T => part as unknown as T;
