import type { ToolDeclaration, ToolResult } from '../../contracts/tools/tool-call.ts';
import { canonicalJson } from '../../contracts/values/canonical-json.ts';
import { comparableResult } from './poll-result.ts';

/** Returns a result as a text that is the same for results which say the same. */
export const comparableText = (declaration: ToolDeclaration, result: ToolResult): string => {
  if (declaration.effect === 'poll') return comparablePollText(comparableResult, declaration, result);
  const compared = result.success ? { ok: result.result } : { error: result.error, details: result.details };
  return canonicalJson(compared);
};

/** Returns the result of a poll as such a text. `compared` leaves out what changes with every poll. */
export const comparablePollText = (
  compared: typeof comparableResult,
  { volatileFields }: ToolDeclaration,
  { success, result, error, details }: ToolResult,
): string =>
  success ? compared(result, volatileFields) : `failed ${compared([error, details], volatileFields)}`;

/**
 * Returns a short fingerprint of a long text, by which the same text is recognised later although it was not kept. The
 * fingerprint has the text's length and two 32-bit multiplicative hashes.
 *
 * - It is not for secrets: whoever forges a collision only fools their own turn.
 * - It takes two characters at a time and makes no calls. A replay hashes every result of its turn again, in code that
 *   is not compiled yet.
 */
export const fingerprint = (text: string): string => {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i += 2) {
    // Past the end this is NaN, which counts as 0 here; the length tells such texts apart.
    const unit = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    a = Math.imul(a ^ (a >>> 13) ^ unit, 0x01000193);
    b = Math.imul(b ^ (b >>> 15) ^ unit, 0x85ebca6b);
  }
  return `${text.length}:${(a >>> 0).toString(36)}:${(b >>> 0).toString(36)}`;
};
