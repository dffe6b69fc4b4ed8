import { readFile } from 'node:fs/promises';
import type { Mode } from '../contracts/tool-call.ts';

const PROMPT_FILE = new URL('./system-prompt.md', import.meta.url);

/** The sections of the prompt that hold in one mode only, by their headings. */
const MODE_HEADINGS = { plan: '## Plan mode\n', act: '## Act mode\n' } as const satisfies Record<
  Mode,
  string
>;

/** Text of the system prompt for each mode. */
export type SystemPrompt = Readonly<Record<Mode, string>>;

/** Reads system-prompt.md. Throws when it lacks the section of a mode. */
export const loadSystemPrompt = async (): Promise<SystemPrompt> =>
  parseSystemPrompt(await readFile(PROMPT_FILE, 'utf8'));

/** Splits the file's text: every section belongs to both modes, except those headed by the other mode. */
export const parseSystemPrompt = (text: string): SystemPrompt => {
  const sections = text.split(/^(?=## )/m);
  for (const heading of Object.values(MODE_HEADINGS)) {
    if (!sections.some((section) => section.startsWith(heading))) {
      throw new Error(`system-prompt.md: expected a section "${heading.trim()}", found none.`);
    }
  }
  const without = (heading: string) =>
    sections
      .filter((section) => !section.startsWith(heading))
      .join('')
      .trim();
  return { plan: without(MODE_HEADINGS.act), act: without(MODE_HEADINGS.plan) };
};

/** What is filled in for each turn, by the name of its `{{placeholder}}`. */
export type PromptValues = Readonly<Record<string, string | undefined>>;

/** Puts the values in. A section whose value is not there is left out. */
export const fillPrompt = (text: string, values: PromptValues): string => {
  const sections = text.split(/^(?=## )/m);
  const filled = sections.map((section) => fillSection(section, values));
  return filled
    .filter((section) => section !== undefined)
    .join('')
    .trim();
};

const fillSection = (section: string, values: PromptValues): string | undefined => {
  const names = [...section.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  if (names.some((name) => values[name] === undefined)) return undefined;
  // All at once: a value is never searched for placeholders.
  return section.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => values[name] ?? '');
};
