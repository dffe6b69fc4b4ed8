import { z } from 'zod';
import { fileProblems } from '../../base/errors/file-problems.ts';
import { expectationOf, issueLine } from '../../base/errors/zod-issue.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { temperatureSchema } from '../../contracts/turn/budgets.ts';
import { readJsonFile } from './json-file.ts';

const VARIABLE = 'ORION_PROJECTS_FILE';

const projectSchema = z.strictObject({
  /** Temperature of model calls, by the mode of the turn. Absent means the default of that mode. */
  temperature: z
    .strictObject({ plan: temperatureSchema.optional(), act: temperatureSchema.optional() })
    .optional(),
});

const fileSchema = z.record(idSchema, projectSchema);

/** Settings of one project in the projects file. They win over the defaults of all projects. */
export type ProjectSettings = z.infer<typeof projectSchema>;

/** Settings by project id. It is a map because an object would find a project named `constructor`. */
export type Projects = ReadonlyMap<string, ProjectSettings>;

/**
 * Reads the settings of projects. Returns none without a path. Problems of the file are added to `problems`, one line
 * each, and make the result empty.
 */
export const readProjects = (path: string | undefined, problems: string[]): Projects => {
  if (path === undefined) return new Map();
  const file = { variable: VARIABLE, path, expected: 'a JSON file of projects' };
  const value = readJsonFile(file, problems);
  if (value === undefined) return new Map();
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const problemLines = parsed.error.issues.map((issue) => projectLine(issue, value));
  problems.push(...fileProblems(file, problemLines));
  return new Map();
};

const projectLine = (issue: z.core.$ZodIssue, file: unknown): string => {
  const fields = issue.path.length === 1 ? 'temperature' : 'plan and act';
  if (issue.code !== 'invalid_key') return issueLine(issue, file, { fields });
  const [reason] = issue.issues;
  const expected = reason === undefined ? 'an id' : expectationOf(reason);
  return issueLine(issue, file, { fields, expected, received: JSON.stringify(issue.path.at(-1)) });
};
