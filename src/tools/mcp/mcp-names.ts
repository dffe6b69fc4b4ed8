import { createHash } from 'node:crypto';

/** Matches characters that providers refuse in a function name, which has at most 64 characters. */
const FORBIDDEN = /[^A-Za-z0-9_-]/g;
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 8;

/**
 * Returns `mcp__<server>__<tool>`, the name under which the model knows a tool (docs/tools.md). A name that providers
 * would refuse is changed or cut, and ends in a hash of the whole name, so that two tools do not share a name by
 * accident.
 */
export const mcpToolName = (server: string, tool: string): string => {
  const whole = `mcp__${server}__${tool}`;
  const allowed = whole.replaceAll(FORBIDDEN, '_');
  if (allowed === whole && whole.length <= MAX_CHARACTERS) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_DIGITS);
  return `${allowed.slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
};

/**
 * Returns the characters with which the names of all tools of a server begin. Server names have at most 32 characters
 * (`mcp-servers.ts`), so the prefix is never cut.
 */
export const mcpNamePrefix = (server: string): string => `mcp__${server.replaceAll(FORBIDDEN, '_')}__`;
