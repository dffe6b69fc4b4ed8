/**
 * Returns the text with its Markdown escaped, for the details that the Web UI shows. Names, errors and messages contain
 * what clients, models and tools said.
 */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>#|~!&]/g, String.raw`\$&`);
