import { type YieldToLoop, createYieldToLoop } from '../../base/timing/yield-to-loop.ts';
import { LF } from '../../base/text/ascii.ts';
import type { EditProblem } from './edit-problem.ts';
import { findPlaces, type FoundPlaces } from './find-places.ts';
import { lineAt, lineBreakOf, lineStartsOf } from './line-starts.ts';

/** A text with the number of places where it must be, and its replacement. */
export interface FileEdit {
  readonly old: string;
  readonly new: string;
  readonly expect: number;
}

/** The bytes from `start` to before `end`, and those that take their place. */
export interface ByteReplacement {
  readonly start: number;
  readonly end: number;
  readonly with: Buffer;
}

/**
 * The content that edits make, or the problems that prevent it: all texts with a wrong number of places, otherwise the
 * first overlap or that nothing would change.
 */
export type AppliedEdits =
  | { readonly ok: true; readonly after: Buffer; readonly replacements: readonly ByteReplacement[] }
  | { readonly ok: false; readonly problems: readonly EditProblem[] };

/** An edit as bytes with the line breaks of the content, and its places in the content. */
interface PlacedEdit {
  readonly index: number;
  readonly old: Buffer;
  readonly new: Buffer;
  readonly expect: number;
  readonly places: FoundPlaces;
}

/** Largest number of places whose lines a refusal names. */
const NAMED_PLACES = 10;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
/** Matches a line that begins with its number and a tab, as files are shown to the model. */
const NUMBERED_LINE = /^\s*\d+\t/;

/**
 * Applies edits to a file's content, all of them or none.
 *
 * - Each `old` is looked for in the content as it is, byte by byte, and must be there exactly `expect` times. No two
 *   places may overlap.
 * - If every line break of the content is CR LF, a line break of an edit means CR LF.
 * - A byte order mark stays, and so does a final line break unless the file becomes empty.
 */
export const applyEdits = async (content: Buffer, edits: readonly FileEdit[]): Promise<AppliedEdits> => {
  const yieldToLoop = createYieldToLoop();
  const lineBreak = lineBreakOf(content);
  const placedEdits: PlacedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    placedEdits.push(await placeEdit(content, { index, edit, lineBreak }, yieldToLoop));
  }
  const lines = () => lineStartsOf(content);
  const miscounted = placedEdits.filter(({ places, expect }) => places.count !== expect);
  if (miscounted.length > 0) {
    const starts = miscounted.some(({ places }) => places.count > 0) ? lines() : new Uint32Array(0);
    return { ok: false, problems: miscounted.map((edit) => countProblem(edit, starts)) };
  }
  const orderedEdits = placedEdits
    .flatMap(({ index, old, new: fresh, places }) =>
      places.at.map((start) => ({ index, start, end: start + old.length, with: fresh })),
    )
    .toSorted((a, b) => a.start - b.start);
  const overlap = orderedEdits.find(({ start }, at) => start < (orderedEdits[at - 1]?.end ?? 0));
  if (overlap) {
    const other = orderedEdits[orderedEdits.indexOf(overlap) - 1]?.index ?? 0;
    const line = lineAt(lines(), overlap.start) + 1;
    return { ok: false, problems: [{ kind: 'overlap', edit: overlap.index, other, line }] };
  }
  const replacements = preserveEnds(content, orderedEdits, lineBreak);
  const after = replaced(content, replacements);
  return after.equals(content)
    ? { ok: false, problems: [{ kind: 'no_change' }] }
    : { ok: true, after, replacements };
};

const placeEdit = async (
  content: Buffer,
  { index, edit, lineBreak }: { readonly index: number; readonly edit: FileEdit; readonly lineBreak: string },
  yieldToLoop: YieldToLoop,
): Promise<PlacedEdit> => {
  const toFileBytes = (text: string) =>
    Buffer.from(lineBreak === '\n' ? text : text.replaceAll(/\r?\n/g, lineBreak));
  const [old, fresh] = [toFileBytes(edit.old), toFileBytes(edit.new)];
  const limit = Math.max(edit.expect, NAMED_PLACES);
  return {
    index,
    old,
    new: fresh,
    expect: edit.expect,
    places: await findPlaces(content, old, limit, yieldToLoop),
  };
};

const countProblem = ({ index, old, expect, places }: PlacedEdit, starts: Uint32Array): EditProblem => {
  if (places.count > 0) {
    const lines = places.at.slice(0, NAMED_PLACES).map((offset) => lineAt(starts, offset) + 1);
    return { kind: 'miscounted', edit: index, expect, found: places.count, lines };
  }
  const lines = old.toString('utf8').trimEnd().split('\n');
  return {
    kind: 'not_found',
    edit: index,
    expect,
    isNumbered: lines.every((line) => NUMBERED_LINE.test(line)),
  };
};

/**
 * Returns the replacements in such a form that a byte order mark and a final line break stay, even where an edit
 * replaces them. A file that becomes empty gets no line break.
 */
const preserveEnds = (
  content: Buffer,
  ordered: readonly ByteReplacement[],
  lineBreak: string,
): readonly ByteReplacement[] => {
  const replacements = ordered.map(({ start, end, with: fresh }) => ({ start, end, with: fresh }));
  const [first] = replacements;
  const last = replacements.at(-1);
  const startsWith = (bytes: Buffer, head: Buffer) => bytes.subarray(0, head.length).equals(head);
  if (
    first?.start === 0 &&
    startsWith(content, BYTE_ORDER_MARK) &&
    !startsWith(first.with, BYTE_ORDER_MARK)
  ) {
    first.with = Buffer.concat([BYTE_ORDER_MARK, first.with]);
  }
  if (last?.end !== content.length || content.at(-1) !== LF) return replacements;
  const after = replaced(content, replacements);
  if (after.length > 0 && after.at(-1) !== LF) {
    last.with = Buffer.concat([last.with, Buffer.from(lineBreak)]);
  }
  return replacements;
};

const replaced = (content: Buffer, replacements: readonly ByteReplacement[]): Buffer => {
  const parts: Buffer[] = [];
  let copiedTo = 0;
  for (const { start, end, with: fresh } of replacements) {
    parts.push(content.subarray(copiedTo, start), fresh);
    copiedTo = end;
  }
  return Buffer.concat([...parts, content.subarray(copiedTo)]);
};
