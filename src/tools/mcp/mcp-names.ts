import { createHash } from 'node:crypto';

/** Matches characters that providers refuse in a function name, which has at most 64 characters. */
const FORBIDDEN = /[^A-Za-z0-9_-]/g;
const MAX_CHARACTERS = 64;
const HASH_DIGITS = 8;

/** Matches a server's name after which `__` does not tell where the tool's name begins. */
const UNCLEAR_SERVER = /__|_$/;
/** Matches a name that ends like one with a hash. */
const HASH_AT_END = /_[0-9a-f]{8}$/;

/**
 * Returns `mcp__<server>__<tool>`, the name under which the model knows a tool (docs/tools.md). A name ends in a hash
 * of server and tool if providers would refuse it, or if another server could have a tool of that name. So the tools of
 * different servers never share a name, except by equal hashes.
 */
export const mcpToolName = (server: string, tool: string): string => {
  const whole = `mcp__${server}__${tool}`;
  const allowed = whole.replaceAll(FORBIDDEN, '_');
  const isUnclear = UNCLEAR_SERVER.test(server);
  const isKept = allowed === whole && whole.length <= MAX_CHARACTERS;
  if (isKept && !isUnclear && !HASH_AT_END.test(whole)) return whole;
  // `mcp__a__b__c` may be a tool `b__c` of `a` or a tool `c` of `a__b`, so the second is hashed in another form.
  const hashed = isUnclear ? JSON.stringify([server, tool]) : whole;
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_DIGITS);
  return `${allowed.slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
};

/**
 * Returns the characters with which the names of all tools of a server begin. Server names have at most 32 characters
 * (`mcp-servers.ts`), so the prefix is never cut.
 */
export const mcpNamePrefix = (server: string): string => `mcp__${server.replaceAll(FORBIDDEN, '_')}__`;
