import { readFile } from 'node:fs/promises';

const PROMPT_FILE = new URL('./system-prompt.md', import.meta.url);

/**
 * Reads the text that every prompt begins with: the same bytes for all turns of a version, so that providers cache it.
 */
export const loadSystemPrompt = async (): Promise<string> => (await readFile(PROMPT_FILE, 'utf8')).trim();
