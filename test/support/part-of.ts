/** The part of a type that a test fakes: names are those of the type, functions take and return what the test says. */
type PartOf<T> = T extends (...args: never[]) => unknown
  ? (...args: never[]) => unknown
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** Returns a double of a large type from the part that is used; a name that the type does not have does not compile. */
export const partOf = <T extends object>(part: PartOf<T>): T => part as unknown as T;
