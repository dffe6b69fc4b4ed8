import { createHash } from 'node:crypto';
import type { Workspace } from '../files/workspace/workspace.ts';
import { KIB } from '../contracts/values/units.ts';

/** Name of the file with a project's instructions, in the project's root. */
const INSTRUCTIONS_FILE = 'AGENTS.md';
const MAX_BYTES = 16 * KIB;

/** The instructions for working on a project, written by its people. */
export interface Instructions {
  /** Content of the file. A file over 16 KiB is cut between two characters, and its last line says so. */
  readonly text: string;
  /** SHA-256, in hexadecimal, of the bytes that were read, at most 16 KiB. */
  readonly sha256: string;
}

/**
 * Reads `AGENTS.md` of a project through the jail. Resolves to `none` when it is blank. Rejects when it is missing or
 * cannot be read.
 */
export const readInstructions = (workspace: Workspace, projectId: string): Promise<Instructions | 'none'> =>
  workspace.withFile(projectId, INSTRUCTIONS_FILE, async ({ handle }) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    const bytes = buffer.subarray(0, Math.min(bytesRead, MAX_BYTES));
    const isCut = bytesRead > MAX_BYTES;
    // With `stream`, the decoder keeps back a character whose other bytes were cut off.
    const text = new TextDecoder().decode(bytes, { stream: isCut });
    if (text.trim() === '') return 'none';
    const cut = isCut ? `${text}\n… cut after 16 KiB` : text;
    return { text: cut, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
