import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MOST_LINES = 1_000;

/** Lines typed before, newest first; lost silently where the directory cannot be used. */
export const createHistoryFile = (stateDir: string) => {
  const path = join(stateDir, 'history');
  return {
    read(): string[] {
      try {
        return readFileSync(path, 'utf8').split('\n').filter(Boolean).toReversed();
      } catch {
        return [];
      }
    },
    write(history: readonly string[]): void {
      const lines = history.slice(0, MOST_LINES).toReversed();
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
      } catch {
        // A conversation goes on without its history.
      }
    },
  };
};
