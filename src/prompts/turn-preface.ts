import type { KnownSurroundings } from '../contracts/model/known-surroundings.ts';
import { SURROUNDINGS_MARKS } from '../contracts/model/prompt-marks.ts';
import type { TurnMode } from '../contracts/tools/tool-call.ts';
import { outlineChanges } from './outline.ts';
import { indentedLines, shownName } from './outside-text.ts';
import type { Surroundings } from './surroundings.ts';

/** The facts that the first message of a turn gives before the person's words. */
export interface PrefaceFacts {
  readonly mode: TurnMode;
  /** The date as `YYYY-MM-DD` in UTC. */
  readonly date: string;
  readonly surroundings: Surroundings;
  /** The state of the workspace that earlier turns in the prompt described. Null if they described none. */
  readonly known: KnownSurroundings | null;
  /** Files that were changed by branches which the turn leaves. Null if it leaves none. */
  readonly otherBranchFiles: readonly string[] | null;
  /** Notes posted since the previous turn, oldest first. */
  readonly notes: readonly string[];
}

/** The line before a whole outline of the workspace. */
export const WHOLE_OUTLINE = 'The workspace as this turn began, two levels deep:';
/** The line that replaces the outline of an empty workspace. */
export const EMPTY_WORKSPACE = '(The workspace is empty.)';

/** Largest number of lines that list changes of the outline. If there are more changes, the last line is `…`. */
const MAX_CHANGES = 20;

/**
 * Returns the text before the person's words, and the state of the workspace that the model knows once it has read that
 * text. Of the workspace, only what differs from `known` is described. Skills and instructions that could not be read
 * count as unchanged.
 */
export const turnPreface = (facts: PrefaceFacts): { preface: string; known: KnownSurroundings } => {
  const { mode, date, surroundings, known, notes } = facts;
  const sections = [
    `Mode: ${mode.toUpperCase()}. Date: ${date} (UTC).`,
    skillsSection(surroundings, known),
    instructionsSection(surroundings, known),
    filesSection(surroundings, known),
    branchSection(facts.otherBranchFiles),
  ].filter((section) => section !== undefined);
  const block = `${SURROUNDINGS_MARKS.begin}\n${sections.join('\n\n')}\n${SURROUNDINGS_MARKS.end}\n\n`;
  return {
    // Anybody who may post messages may post notes. In a system message, a note could overrule Orion.
    preface: block + notes.map((note) => `[note] ${note}\n\n`).join(''),
    known: {
      files: surroundings.files ?? known?.files ?? [],
      instructions: hashOf(surroundings.instructions, known),
      skills: surroundings.skills ?? known?.skills ?? [],
    },
  };
};

const skillsSection = ({ skills }: Surroundings, known: KnownSurroundings | null): string | undefined => {
  if (skills === null || isSame(skills, known?.skills ?? [])) return undefined;
  if (skills.length === 0) return 'The skills of the project are gone.';
  return `Skills of the project:\n${indented(skills)}`;
};

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, i) => line === other[i]);

/** Returns the SHA-256 of the instructions that the model knows now, or null if it knows of none. */
const hashOf = (
  instructions: Surroundings['instructions'],
  known: KnownSurroundings | null,
): string | null => {
  if (instructions === null) return known?.instructions ?? null;
  return instructions === 'none' ? null : instructions.sha256;
};

const instructionsSection = (
  { instructions }: Surroundings,
  known: KnownSurroundings | null,
): string | undefined => {
  if (instructions === null) return undefined;
  if (hashOf(instructions, known) === (known?.instructions ?? null)) return undefined;
  if (instructions === 'none') return 'AGENTS.md is gone.';
  if (known?.instructions) return 'AGENTS.md has changed: read it again before you rely on it.';
  return `AGENTS.md, written by the people of the project:\n${indentedLines(instructions.text)}`;
};

const branchSection = (otherBranchFiles: readonly string[] | null): string | undefined => {
  if (otherBranchFiles === null) return undefined;
  const begun =
    'The person goes on from an earlier turn: what came after it is another branch, which you do not see.';
  if (otherBranchFiles.length === 0) return begun;
  return `${begun} Files have no branches. The other branch has changed:\n${indented(otherBranchFiles.map(shownName))}`;
};

const filesSection = ({ files }: Surroundings, known: KnownSurroundings | null): string | undefined => {
  if (files === null) return '(The workspace could not be read.)';
  if (!known) {
    if (files.length === 0) return EMPTY_WORKSPACE;
    return `${WHOLE_OUTLINE}\n${indented(files)}`;
  }
  const changes = outlineChanges(known.files, files);
  if (changes.length === 0) return undefined;
  const shown = changes.length > MAX_CHANGES ? [...changes.slice(0, MAX_CHANGES - 1), '…'] : changes;
  return `The workspace has changed since you were last told:\n${indented(shown)}`;
};

/** Indents lines. Markdown takes them for code, so none can look like a line of Orion. */
const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');
