import type { ModelMessage } from '../contracts/model/model-message.ts';
import { SURROUNDINGS_MARKS } from '../contracts/model/prompt-marks.ts';
import { EMPTY_WORKSPACE, WHOLE_OUTLINE } from './turn-preface.ts';

const BEGIN = `${SURROUNDINGS_MARKS.begin}\n`;
const END = `\n${SURROUNDINGS_MARKS.end}\n`;

interface SurroundingsSections {
  /** The first section: mode and date of the message. */
  readonly first: string;
  /** The sections about the workspace. Empty if the message says nothing about it. */
  readonly rest: string;
  /** The text after the surroundings. */
  readonly words: string;
}

/**
 * Returns `message`, the first user message of a prompt from which earlier turns were removed, with what their messages
 * (`gone`) had said about the workspace, from the last whole description on. If none of them was whole, it gets
 * everything they had said. Returns `message` unchanged if they had said nothing, or if one of the `remaining` messages
 * describes the whole workspace.
 */
export const withSurroundingsOf = (
  gone: readonly ModelMessage[],
  message: ModelMessage & { readonly role: 'user' },
  remaining: readonly ModelMessage[],
): ModelMessage => {
  if (sectionsOfAll(remaining).some(isWhole)) return message;
  const known = sectionsOfAll(gone);
  const sections = known
    .slice(Math.max(0, known.findLastIndex(isWhole)))
    .map(({ rest }) => rest)
    .filter((rest) => rest !== '');
  if (sections.length === 0) return message;
  const own = sectionsOf(message);
  if (!own) return { role: 'user', content: `${BEGIN}${sections.join('\n\n')}${END}\n${message.content}` };
  const all = [own.first, ...sections, ...(own.rest === '' ? [] : [own.rest])];
  return { role: 'user', content: `${BEGIN}${all.join('\n\n')}${END}${own.words}` };
};

const sectionsOfAll = (messages: readonly ModelMessage[]): SurroundingsSections[] =>
  messages.map(sectionsOf).filter((section) => section !== undefined);

/**
 * Reports whether a message describes the whole workspace. Names and texts from the workspace are indented, so an
 * unindented line with this wording is Orion's.
 */
const isWhole = ({ rest }: SurroundingsSections): boolean =>
  `\n${rest}`.includes(`\n${WHOLE_OUTLINE}\n`) || `\n${rest}`.includes(`\n${EMPTY_WORKSPACE}`);

const sectionsOf = ({ role, content }: ModelMessage): SurroundingsSections | undefined => {
  const end = content.indexOf(END);
  if (role !== 'user' || !content.startsWith(BEGIN) || end < 0) return undefined;
  const inner = content.slice(BEGIN.length, end);
  const cut = inner.indexOf('\n\n');
  const [first, rest] = cut < 0 ? [inner, ''] : [inner.slice(0, cut), inner.slice(cut + 2)];
  return { first, rest, words: content.slice(end + END.length) };
};
