import type { RequestDisplay } from '../../src/contracts/inputs/input-request.ts';
import { jsonTextBytes, truncateToJsonBytes } from '../../src/base/json/json-text.ts';
import type { PreparedInputRow } from '../../src/db/inputs/input-row.ts';
import { redactText } from '../../src/trace/redact-text.ts';
import { KIB } from '../../src/contracts/values/units.ts';

/**
 * Largest size in bytes of arguments and diff together, each cut as JSON text, in events and lists. The request's own
 * route returns all.
 */
const SHOWN_BYTES = 8 * KIB;
/** The part of `SHOWN_BYTES` that arguments may take if the request also has a diff. */
const ARGUMENT_BYTES = 2 * KIB;

/** Returns what events and lists show of a request: its arguments and its diff, cut to `SHOWN_BYTES` together. */
export const requestDisplay = ({ request, argsHash, diff }: PreparedInputRow): RequestDisplay => {
  const { target, arguments: text } = request;
  const args =
    text === undefined ? undefined : truncateToJsonBytes(text, diff === null ? SHOWN_BYTES : ARGUMENT_BYTES);
  const left = SHOWN_BYTES - jsonTextBytes(args ?? '');
  const shownDiff = diff === null ? undefined : truncateToJsonBytes(diff, left);
  const isCut = args !== text || (shownDiff ?? null) !== diff;
  return {
    ...(argsHash !== null && { argsHash }),
    ...(args !== undefined && { arguments: args }),
    ...(target !== undefined && { target }),
    ...(shownDiff !== undefined && { diff: shownDiff }),
    ...(isCut && { truncated: true }),
  };
};

const EXCERPT_LINES = 20;
const EXCERPT_LINE_CHARACTERS = 160;

/**
 * Returns the beginning of a request's diff, or of its arguments if it has no diff, without secrets. Returns undefined
 * if there is no text. People see the excerpt in Temporal's tools.
 */
export const requestExcerpt = ({ request, diff }: PreparedInputRow): string | undefined => {
  const text = diff ?? request.arguments;
  if (text === undefined || text === '') return undefined;
  // Text after the cut is neither searched for secrets nor shown. A secret that is cut is still recognized by its name.
  const lines = redactText(text.slice(0, EXCERPT_LINES * KIB))
    .trimEnd()
    .split('\n');
  const shown = lines
    .slice(0, EXCERPT_LINES)
    .map((line) => line.slice(0, EXCERPT_LINE_CHARACTERS).toWellFormed());
  return [...shown, ...(lines.length > EXCERPT_LINES ? ['…'] : [])].join('\n');
};
