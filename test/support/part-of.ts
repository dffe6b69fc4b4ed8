type AnyFunction = (...args: never[]) => unknown;

/** What a function of a double returns: what the real one returns, or a part of it whose functions return anything. */
type Returned<R> = [R] extends [Promise<infer V>]
  ? Promise<Returned<V>>
  : R extends AnyFunction
    ? AnyFunction
    : R extends readonly (infer Item)[]
      ? readonly Returned<Item>[]
      : R extends object
        ? { readonly [K in keyof R]?: Returned<R[K]> }
        : R;

/**
 * The part of a type that a test fakes. Names are those of the type, also in what functions return. Functions take what
 * the test says.
 */
type PartOf<T> = T extends (...args: never[]) => infer R
  ? (...args: never[]) => Returned<R>
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** Returns a double of a large type from the part that is used; a name that the type does not have does not compile. */
export const partOf = <T extends object>(part: PartOf<T>): T => part as unknown as T;
