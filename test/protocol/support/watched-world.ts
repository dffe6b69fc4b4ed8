/**
 * What code can use of its surroundings without a port: a clock, randomness, or a way to wait. Each is a function of
 * the object before it.
 */
const WORLD: readonly (readonly [owner: object, name: string])[] = [
  [Date, 'now'],
  [performance, 'now'],
  [process, 'hrtime'],
  [process.hrtime, 'bigint'],
  [Math, 'random'],
  [crypto, 'randomUUID'],
  [crypto, 'getRandomValues'],
  [globalThis, 'setTimeout'],
  [globalThis, 'setInterval'],
  [globalThis, 'setImmediate'],
  [globalThis, 'queueMicrotask'],
  [process, 'nextTick'],
  [AbortSignal, 'timeout'],
];

/** Replaces a property, also an inherited one. Returns a function that puts the former one back. */
const replace = (owner: object, name: string, value: unknown): (() => void) => {
  const former = Reflect.getOwnPropertyDescriptor(owner, name);
  Reflect.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (former) Reflect.defineProperty(owner, name, former);
    else Reflect.deleteProperty(owner, name);
  };
};

/**
 * Runs `work`, which must not wait for anything but promises. Resolves to the names of all that it used of the clocks,
 * the randomness and the timers of this process, and of the turn of the event loop if it let one pass.
 */
export const usedOfWorld = async (work: () => Promise<void>): Promise<readonly string[]> => {
  const used: string[] = [];
  const tick = setImmediate(() => used.push('a turn of the event loop'));
  const restores = WORLD.map(([owner, name]) => {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') throw new Error(`expected a function ${name}`);
    const noted = new Proxy(original, {
      apply: (target, _self, args: unknown[]): unknown => {
        used.push(name);
        return Reflect.apply(target, owner, args);
      },
    });
    return replace(owner, name, noted);
  });
  const NotedDate = new Proxy(Date, {
    construct: (target, args, newTarget): object => {
      if (args.length === 0) used.push('new Date');
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  restores.push(replace(globalThis, 'Date', NotedDate));
  try {
    await work();
  } finally {
    for (const restore of restores) restore();
    clearImmediate(tick);
  }
  return used;
};
