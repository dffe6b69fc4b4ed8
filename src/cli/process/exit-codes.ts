import { CONFIG_EXIT_CODE } from '../../base/errors/config-error.ts';

/** Exit codes of the `orion` command (docs/cli.md "Exit codes"). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  /** A limit forced the answer, which may be incomplete. */
  forced: 4,
  /** Another write session prevented a new one, or the session ended before its text came. */
  session: 5,
  /** The last request of the turn was denied, or not replied to in time. */
  denied: 6,
  /** A setting, the folder of a stack or a file of keys cannot be used. */
  config: CONFIG_EXIT_CODE,
  interrupted: 130,
} as const;
/** One of the exit codes of `orion` (docs/cli.md). */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
