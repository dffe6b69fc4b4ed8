import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { expectationOf, issueLine } from '../../base/errors/zod-issue.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { temperatureSchema } from '../../contracts/turn/budgets.ts';
import { addProblems } from './file-problems.ts';

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
  const reportProblem = (reason: string): Projects => {
    problems.push(`${VARIABLE}: expected a JSON file of projects, received ${path} (${reason})`);
    return new Map();
  };
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return reportProblem(errorMessage(error));
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const found = parsed.error.issues.map((issue) => projectLine(issue, value));
  addProblems(problems, { variable: VARIABLE, path }, found);
  return new Map();
};

const projectLine = (issue: z.core.$ZodIssue, file: unknown): string => {
  const fields = issue.path.length === 1 ? 'temperature' : 'plan and act';
  if (issue.code !== 'invalid_key') return issueLine(issue, file, { fields });
  const [reason] = issue.issues;
  const expected = reason === undefined ? 'an id' : expectationOf(reason);
  return issueLine(issue, file, { fields, expected, received: JSON.stringify(issue.path.at(-1)) });
};
