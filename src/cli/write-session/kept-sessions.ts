import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeOperationSchema } from '../../contracts/write-session/write-session.ts';

const recordSchema = z.object({
  sessionId: z.uuid(),
  /** The turn whose model writes the text. Null for a session of `orion write`. */
  turnId: z.string().nullable(),
  url: z.string(),
  projectId: z.string(),
  target: z.string(),
  /** The operation of the session. Null if the turn did not name it. */
  operation: writeOperationSchema.nullable(),
  /** True when the text is whole, so that only the commit is missing. */
  complete: z.boolean(),
});
/** A write session whose text is not yet in its file. */
export type KeptSession = z.infer<typeof recordSchema>;

/**
 * Texts of write sessions that are under way, on disk, so that `orion write recover` can continue after this process
 * has died at any point.
 */
export interface KeptSessions {
  /** Stores the text of a session and its record. */
  keep(session: KeptSession, text: string): Promise<void>;
  /** Records a session whose text is at `textPath`, or is about to be written there. */
  record(session: KeptSession): Promise<void>;
  /** Removes the text of a session and its record, as far as they exist. */
  remove(sessionId: string): Promise<void>;
  /** Returns all sessions whose records can be read, in no particular order. */
  list(): Promise<readonly KeptSession[]>;
  /** Path of the file that keeps the text of a session. */
  textPath(sessionId: string): string;
}

/**
 * Keeps write sessions below `stateDir`, each as a file with its text and one with its record, readable only for this
 * user.
 */
export const createKeptSessions = (stateDir: string): KeptSessions => {
  const folder = join(stateDir, 'write-sessions');
  const textPath = (sessionId: string): string => join(folder, `${sessionId}.txt`);
  const recordPath = (sessionId: string): string => join(folder, `${sessionId}.json`);
  const record = async (session: KeptSession): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceKeptFile(recordPath(session.sessionId), JSON.stringify(session));
  };
  return {
    textPath,
    record,
    async keep(session, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The text is written first, so that a crash in between leaves no record without its text.
      await replaceKeptFile(textPath(session.sessionId), text);
      await record(session);
    },
    async remove(sessionId) {
      await rm(recordPath(sessionId), { force: true });
      await rm(textPath(sessionId), { force: true });
    },
    async list() {
      const names = await readdir(folder).catch(() => []);
      const records = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
      return (await Promise.all(records.map(readSessionRecord))).flat();
    },
  };
};

/** Returns the record in a file, or none if the file is damaged or not a record. */
const readSessionRecord = async (path: string): Promise<KeptSession[]> => {
  try {
    return [recordSchema.parse(JSON.parse(await readFile(path, 'utf8')))];
  } catch {
    return [];
  }
};

/** Replaces a file, so that a reader sees the old text or the new one and never half of one. */
const replaceKeptFile = async (path: string, text: string): Promise<void> => {
  const temporaryFile = `${path}.${process.pid}.tmp`;
  await writeFile(temporaryFile, text, { mode: 0o600 });
  await rename(temporaryFile, path);
};
