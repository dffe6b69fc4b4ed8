/** docs/write-sessions.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  /** A budget forced the answer. */
  forced: 4,
  /** A write session was in the way, or ended before its text came. */
  session: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
