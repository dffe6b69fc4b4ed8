/** Ctrl-C, from wherever it comes: a signal, or a key where the terminal is read key by key. */
export interface Interrupts {
  /** The newest subscriber alone hears of an interrupt, until it calls the returned function. */
  subscribe(listener: () => void): () => void;
  raise(): void;
}

/** `otherwise` hears what nobody has subscribed to. */
export const createInterrupts = (otherwise: () => void): Interrupts => {
  const listeners: (() => void)[] = [];
  return {
    subscribe(listener) {
      listeners.push(listener);
      return () => {
        const at = listeners.lastIndexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
      };
    },
    raise() {
      (listeners.at(-1) ?? otherwise)();
    },
  };
};
