const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const satisfies readonly NodeJS.Signals[];
export type StopSignal = (typeof SIGNALS)[number];

/** A process that has to end when the supervisor does. */
export interface ReapEntry {
  readonly pid: number;
  readonly signal: StopSignal;
  /** See `startTimeOf`. */
  readonly startTime: string;
}

const ADDED = new RegExp(`^\\+(\\d+) (${SIGNALS.join('|')}) (\\S+)$`);

export const added = (entry: ReapEntry): string => `+${entry.pid} ${entry.signal} ${entry.startTime}\n`;
export const removed = (pid: number): string => `-${pid}\n`;

/** What is left after all lines; a line cut short by a crash, and any unknown one, is passed over. */
export const remaining = (text: string): readonly ReapEntry[] => {
  const entries = new Map<number, ReapEntry>();
  for (const line of text.split('\n')) {
    const [, pid, signal, startTime] = ADDED.exec(line) ?? [];
    if (pid !== undefined && startTime !== undefined) {
      entries.set(Number(pid), { pid: Number(pid), signal: signal as StopSignal, startTime });
    } else if (/^-\d+$/.test(line)) entries.delete(Number(line.slice(1)));
  }
  return [...entries.values()];
};
