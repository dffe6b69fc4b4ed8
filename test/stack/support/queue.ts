/** Values in the order in which they came; `next` waits for one. */
export interface Queue<T> {
  readonly add: (value: T) => void;
  next(): Promise<T>;
}

export const createQueue = <T>(): Queue<T> => {
  const values: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    add: (value) => {
      const next = waiting.shift();
      if (next === undefined) values.push(value);
      else next(value);
    },
    next: () =>
      values.length > 0
        ? Promise.resolve(values.shift() as T)
        : new Promise((resolve) => waiting.push(resolve)),
  };
};
