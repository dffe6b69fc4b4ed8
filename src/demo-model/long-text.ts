/**
 * Number of pieces that are streamed per second. With this rate, a request for “20 seconds” is turned into a number of
 * pieces.
 */
export const PIECES_PER_SECOND = 50;
const MAX_PIECES = 15_000;

/**
 * Cuts text roughly as a tokenizer would: into words of up to eight characters, each with the blanks before it. Longer
 * words are cut into parts.
 */
export const piecesOf = (text: string): readonly string[] => text.match(/\s*\S{1,8}|\s+$/g) ?? [];

/**
 * Returns a long text if the question asks for one, such as `a 20 s answer`, `write 1,000 tokens`, `500 words` or
 * `count to 300`; otherwise undefined. A long answer gives a person time to kill a process while it streams and to see
 * that nothing is lost.
 */
export const longText = (question: string): string | undefined => {
  const count = /\bcount\s+(?:up\s+)?to\s+(\d[\d,]*)/i.exec(question);
  if (count) return countTo(Math.min(numberOf(count[1]), MAX_PIECES));
  const tokens = /(\d[\d,]*)[\s-]*(?:tokens?|words?)\b/i.exec(question);
  if (tokens) return prose(numberOf(tokens[1]));
  const time = /(\d[\d,]*)[\s-]*(s|sec|seconds?|m|min|minutes?)\b/i.exec(question);
  if (!time) return undefined;
  return prose(numberOf(time[1]) * (time[2]?.startsWith('m') ? 60 : 1) * PIECES_PER_SECOND);
};

const numberOf = (digits: string | undefined): number => Number(digits?.replaceAll(',', '') ?? 0);

const countTo = (last: number): string =>
  Array.from({ length: last }, (_, i) => `${i + 1}${(i + 1) % 10 === 0 ? '\n' : ' '}`).join('');

/**
 * Returns a text of `maxPieces` pieces, at most `MAX_PIECES`. Every sentence has a number, so that a gap or a
 * repetition shows.
 */
const prose = (maxPieces: number): string => {
  const pieces: string[] = [];
  const length = Math.min(maxPieces, MAX_PIECES);
  for (let n = 1; pieces.length < length; n += 1) {
    pieces.push(...piecesOf(` This is sentence ${n} of a long demo answer.`));
  }
  return pieces.slice(0, length).join('').trimStart();
};
