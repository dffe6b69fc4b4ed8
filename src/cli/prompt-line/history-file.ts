import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJson } from '../../contracts/values/parse-json.ts';

const MAX_ENTRIES = 1_000;
/**
 * Maximum number of characters of an entry. Longer messages are hardly searched for again, and would make the file slow
 * to read when a conversation begins.
 */
const MAX_ENTRY_CHARACTERS = 20_000;

/**
 * Creates access to the history of sent messages, a file with one message per line, newest last. Several conversations
 * may add to it at once. If the file cannot be read or written, messages are not kept, without an error.
 */
export const createHistoryFile = (stateDir: string) => {
  const path = join(stateDir, 'history');
  const ignoringErrors = (run: () => void): void => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      run();
    } catch {
      // A conversation works without its history.
    }
  };
  return {
    /**
     * Returns the entries of the history, newest first, each once. Shortens the file to `MAX_ENTRIES` once it has twice
     * as many lines. A message that another conversation adds at that moment may be lost.
     */
    read(): string[] {
      const lines = readStoredLines(path);
      const newestLines = [...new Set(lines.toReversed())].slice(0, MAX_ENTRIES);
      if (lines.length > 2 * MAX_ENTRIES) {
        const text = newestLines.toReversed().map((line) => `${line}\n`);
        ignoringErrors(() => writeFileSync(path, text.join(''), { mode: 0o600 }));
      }
      return newestLines.map(entryOf);
    },
    /** Adds a message, unless it is blank or longer than `MAX_ENTRY_CHARACTERS`. */
    add(entry: string): void {
      if (entry.trim() === '' || entry.length > MAX_ENTRY_CHARACTERS) return;
      ignoringErrors(() => appendFileSync(path, `${lineOf(entry)}\n`, { mode: 0o600 }));
    },
  };
};

const readStoredLines = (path: string): string[] => {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

const entryOf = (line: string): string => {
  const parsed = line.startsWith('"') ? parseJson(line) : undefined;
  return typeof parsed === 'string' ? parsed : line;
};

/**
 * Returns the line that stores an entry. A message of several lines is stored as a JSON string on one line, and so is
 * one that would be taken for such a string.
 */
const lineOf = (entry: string): string => (/\n|^"/.test(entry) ? JSON.stringify(entry) : entry);
