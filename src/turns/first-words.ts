import { redactText } from '../trace/redact-text.ts';

const MAX_CHARACTERS = 80;
/**
 * Characters that are read. They are enough to recognise a secret that begins within what is shown; prompts may be
 * long.
 */
const READ = 4_096;
/** Control and format characters (bidi among them) and every kind of space, since lists show one line. */
const GAPS = /[\p{Cc}\p{Cf}\p{Z}]+/gu;

/**
 * Returns the beginning of a prompt for lists of turns: one line of at most 80 characters, without secrets, as in
 * traces.
 */
export const firstWords = (content: string): string => {
  const line = redactText(content.slice(0, READ)).replace(GAPS, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= MAX_CHARACTERS
    ? characters.join('')
    : `${characters
        .slice(0, MAX_CHARACTERS - 1)
        .join('')
        .trimEnd()}…`;
};
