import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One page of docs/decisions: why something is as it is, with the figure behind it. */
export interface Decision {
  /** The file name below docs/decisions. */
  readonly file: string;
  readonly title: string;
  /** The date in the form `YYYY-MM-DD`. */
  readonly date: string;
  readonly theme: string;
  /** The parts that the page has, of those that every decision must have. */
  readonly parts: readonly string[];
}

const FOLDER = 'docs/decisions';
export const DECISION_PARTS = ['Context', 'Decision', 'Consequence', 'Code'];

const readDecision = (file: string): Decision => {
  const page = readFileSync(join(FOLDER, file), 'utf8');
  const [, title = ''] = /^# (.+)$/m.exec(page) ?? [];
  const [, date = '', theme = ''] = /^(\d{4}-\d{2}-\d{2}) · (.+)$/m.exec(page) ?? [];
  const parts = DECISION_PARTS.filter((part) => page.includes(`\n**${part}.** `));
  return { file, title, date, theme, parts };
};

/** Reads all decisions, sorted by file name and without the index. */
export const readDecisions = (): Decision[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .toSorted()
    .map(readDecision);

/** Returns docs/decisions/README.md: the index by theme. */
export const decisionsPage = (): string => {
  const themes = Map.groupBy(readDecisions(), ({ theme }) => theme);
  const sections = [...themes].toSorted(([a], [b]) => a.localeCompare(b));
  const entry = ({ title, file }: Decision): string => `- [${title}](${file})`;
  return `# Decisions

Why things are as they are: context, decision, consequence, the figure behind it and the code it binds. One page each, so that a
decision can be replaced as a whole. Every page here stands: one that was replaced is gone, and the page that took its
place says what changed, and why.

This index is made by \`npm run docs\`; a test compares.

${sections.map(([theme, decisions]) => `## ${theme}\n\n${decisions.map(entry).join('\n')}`).join('\n\n')}
`;
};
