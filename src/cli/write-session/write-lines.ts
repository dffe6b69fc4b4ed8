import { safeInLine } from '../../base/text/safe-for-terminal.ts';

interface WrittenFileFacts {
  readonly target: string;
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
}

/** Returns one line for a person about a file that was written. */
export const committedLine = ({ target, bytes, lines, sha256 }: WrittenFileFacts): string =>
  `Wrote ${safeInLine(target)}: ${count(lines, 'line')}, ${count(bytes, 'byte')}, sha256 ${sha256}`;

const count = (value: number, noun: string): string =>
  `${value.toLocaleString('en-US')} ${noun}${value === 1 ? '' : 's'}`;

/**
 * Returns one line for a person about a text that has no end marker, because only a person can say whether it is whole.
 */
export const unfinishedLine = (
  { sessionId, target, lines }: { sessionId: string; target: string; lines: number },
  textPath: string,
): string =>
  `${safeInLine(target)} was not written: its text (${count(lines, 'line')}) has no DONE line at its end. ` +
  `\`orion write finalize ${sessionId} --draft\` writes it as it is; a copy is in ${textPath}`;

/** Returns one line for a person about a text that is not in its file yet. */
export const keptTextLine = (target: string, textPath: string): string =>
  `The text of ${safeInLine(target)} is kept in ${textPath}; \`orion write recover\` continues.`;

/** Returns one line for a person who has interrupted `orion write finalize` before stdin had ended. */
export const interruptedLine = (
  { sessionId, target }: { readonly sessionId: string; readonly target: string },
  textPath: string,
): string =>
  `${safeInLine(target)} was not written: the content so far is kept in ${textPath}. ` +
  `\`orion write finalize ${sessionId} --file ${textPath}\` writes it as it is, ` +
  `\`orion write cancel ${sessionId}\` discards it and frees the file.`;
