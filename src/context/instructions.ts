import { createHash } from 'node:crypto';
import type { Workspace } from '../files/workspace/workspace.ts';

/** Name of the file with a project's instructions, in the project's root. */
const INSTRUCTIONS_FILE = 'AGENTS.md';
const MAX_BYTES = 16 * 1024;
/** Milliseconds to look for a part of the surroundings: a disk that hangs must not keep the answer from coming. */
export const READ_TIMEOUT_MS = 2_000;

/** The instructions of a project's people to those who work on it. */
export interface Instructions {
  /** Content of the file: at most 16 KiB, cut with a mark. */
  readonly text: string;
  /** SHA-256 of the bytes that were read, in hexadecimal. */
  readonly sha256: string;
}

/** Reads `AGENTS.md` of a project through the jail. Returns null when there is none, or it cannot be read in time. */
export const readInstructions = async (
  workspace: Workspace,
  projectId: string,
): Promise<Instructions | null> => {
  const late = new Promise<null>((resolve) => setTimeout(resolve, READ_TIMEOUT_MS, null).unref());
  return Promise.race([readFile(workspace, projectId).catch(() => null), late]);
};

const readFile = (workspace: Workspace, projectId: string): Promise<Instructions | null> =>
  workspace.withFile(projectId, INSTRUCTIONS_FILE, async ({ handle }) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    const bytes = buffer.subarray(0, Math.min(bytesRead, MAX_BYTES));
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    if (text.trim() === '') return null;
    const cut = bytesRead > MAX_BYTES ? `${text}\n… cut after 16 KiB` : text;
    return { text: cut, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
