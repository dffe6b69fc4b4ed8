import { z } from 'zod';
import { cliSettingsSchema } from '../../src/config/settings/cli-settings.ts';
import { settingAliases, secretSettings, settingSections } from '../../src/config/settings/settings.ts';

type Fields = Readonly<Record<string, z.ZodType>>;

/** A field without its wrappers, and the default of one of them. */
const unwrapped = (field: z.ZodType): { readonly inner: z.ZodType; readonly standard: unknown } => {
  if (field instanceof z.ZodDefault) {
    return { inner: field.unwrap() as z.ZodType, standard: field.parse(undefined) };
  }
  if (field instanceof z.ZodOptional) return { inner: field.unwrap() as z.ZodType, standard: undefined };
  return { inner: field, standard: undefined };
};

const shownDefault = (standard: unknown): string => {
  if (standard === undefined) return '';
  if (typeof standard === 'boolean') return `\`${standard ? 'on' : 'off'}\``;
  return `\`${String(standard)}\``;
};

const row = (name: string, field: z.ZodType): string => {
  const { inner, standard } = unwrapped(field);
  const description = field.meta()?.description;
  if (description === undefined) throw new Error(`${name} has no description: .describe() it in src/config`);
  const expected = inner.meta()?.['expected'];
  const former = Object.keys(settingAliases).filter((alias) => settingAliases[alias] === name);
  const remarks = [
    description,
    ...(typeof expected === 'string' ? [`Takes ${expected}.`] : []),
    ...(former.length === 0 ? [] : [`Also read as \`${former.join('`, `')}\`.`]),
  ];
  return `| \`${name}\` | ${shownDefault(standard)} | ${remarks.join(' ').replaceAll('|', '\\|')} |`;
};

const table = (fields: Fields): string =>
  [
    '| variable | default | |',
    '| --- | --- | --- |',
    ...Object.entries(fields).map((entry) => row(...entry)),
  ].join('\n');

/** docs/configuration.md, made of the schemas that check the settings; prettier has still to lay it out. */
export const configurationPage = (): string => `# Configuration

For whoever runs Orion: every setting, what it takes and what it is when unset.

Everything is an environment variable or a line of \`.env\` in the folder that a process starts in; the \`orion\` command
reads only that of its checkout, wherever a person stands. A variable that is empty counts as unset. Secrets (${secretSettings.map((name) => `\`${name}\``).join(', ')} and the command's
\`ORION_API_KEY\`) may come from a file instead, named by \`<NAME>_FILE\`. All problems are reported at once, each with what
was expected and received, and end the process with exit code 78. A name that is no setting does not stop the start: each
process says which variables look like settings and are none. \`orion config\` prints what the
running gateway uses and which of it are defaults, or what this shell holds where none answers, secrets masked.

This page is made by \`npm run docs\` from the schemas in \`src/config\`; a test compares.

${Object.entries(settingSections)
  .map(([title, fields]) => `## ${title}\n\n${table(fields)}`)
  .join('\n\n')}

\`TEMPORAL_CLI\` names the Temporal CLI that \`npm start\` and \`orion temporal\` run; unset: the one on PATH or, where there is
none of a version that will do, one that \`npm start\` installs. It is read before there are settings, so \`orion config\`
does not list it.

## The \`orion\` command

${table(cliSettingsSchema.shape)}
`;
