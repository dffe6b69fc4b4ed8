/** Stands between two texts of a turn, unless the first one ends with a line break. */
export const TEXT_SEPARATOR = '\n\n';

/**
 * Returns the separator before the next text of a turn, given all its text so far, so that two answers are not glued
 * together (docs/protocol.md, `fullContent`). It is no part of a write session's content.
 */
export const separatorAfter = (text: string): string =>
  text === '' || text.endsWith('\n') || text.endsWith('\r') ? '' : TEXT_SEPARATOR;

/** Returns the text of a phase as the model wrote it, without the `separator` that the turn put before it. */
export const withoutSeparator = (text: string, separator: string): string =>
  text.startsWith(separator) ? text.slice(separator.length) : text;
