/**
 * Returns the longest beginning of a text that has at most `room` bytes in UTF-8. It has only whole characters.
 */
export const truncateToBytes = (text: string, room: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(room)).read);
