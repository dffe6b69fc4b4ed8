import { nearestName } from '../../base/text/nearest-name.ts';

/** Commands of similar programs, and the command of `orion` that does the same. */
const COMMANDS_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['ask', 'orion -p'],
  ['auth', 'orion keys new'],
  ['chat', 'orion'],
  ['continue', 'orion --continue'],
  ['doctor', 'orion status'],
  ['exec', 'orion -p'],
  ['history', 'orion sessions'],
  ['init', 'orion up'],
  ['kill', 'orion cancel'],
  ['list', 'orion sessions'],
  ['login', 'orion keys new'],
  ['logs', 'orion status'],
  ['ls', 'orion sessions'],
  ['model', 'orion --model <name>'],
  ['models', 'orion --model <name>'],
  ['new', 'orion'],
  ['ps', 'orion status'],
  ['restart', 'orion down'],
  ['resume', 'orion --resume'],
  ['run', 'orion -p'],
  ['serve', 'orion up'],
  ['settings', 'orion config'],
  ['start', 'orion up'],
  ['stop', 'orion down'],
  ['version', 'orion --version'],
]);

/** Words with which hardly any sentence begins, so that they are taken for commands however many words follow. */
const COMMANDS_ONLY: ReadonlySet<string> = new Set(['exec', 'login', 'logs', 'ls', 'ps']);

/**
 * Maximum number of words of a mistyped command: its name and one argument. More words are taken for a sentence, such
 * as `run the tests`, unless the first of them is in `COMMANDS_ONLY`.
 */
const MAX_WORDS = 2;

/**
 * Returns a hint for a person who typed these words, as the shell has split them, if they look like a command rather
 * than a message. The first word is then a command of similar programs, or nearly one of `names`, the commands of
 * `orion`. Returns undefined for a message.
 */
export const commandHint = (words: readonly string[], names: readonly string[]): string | undefined => {
  const [first] = words;
  if (first === undefined || (words.length > MAX_WORDS && !COMMANDS_ONLY.has(first))) return undefined;
  const nearest = nearestName(first, names);
  const meant = COMMANDS_ELSEWHERE.get(first) ?? (nearest && `orion ${nearest}`);
  return meant && `Did you mean \`${meant}\`?`;
};
