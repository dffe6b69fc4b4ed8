import { readFileSync } from 'node:fs';
import { aliases, secrets, settingsSchema, type SettingName, type Settings } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What was set for one setting, and under which variable: problems name what the person wrote. */
interface Given {
  readonly variable: string;
  readonly value: string;
}

const isSecret = (name: string): boolean => secrets.some((secret) => secret === name);

/** An empty variable counts as unset (compose files pass `NAME=`), except where off is what it means. */
const isSet = (variable: string, value: string | undefined): value is string =>
  value !== undefined && (value.trim() !== '' || variable === 'TWO_STAGE_ENABLED');

const readSecretFile = (name: string, path: string, problems: string[]): Given | undefined => {
  try {
    return { variable: `${name}_FILE`, value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(
      `${name}_FILE: expected the path of a readable file, received ${JSON.stringify(path)} (${reason})`,
    );
    return undefined;
  }
};

const findGiven = (name: SettingName, env: Environment, problems: string[]): Given | undefined => {
  const others = Object.keys(aliases).filter((alias) => aliases[alias] === name);
  const variable = [name, ...others].find((candidate) => isSet(candidate, env[candidate]));
  const file = isSecret(name) ? env[`${name}_FILE`] : undefined;
  if (file === undefined || file.trim() === '') {
    return variable === undefined ? undefined : { variable, value: env[variable] ?? '' };
  }
  if (variable !== undefined)
    problems.push(`${name}_FILE: expected nothing while ${variable} is set, received a path`);
  return readSecretFile(name, file, problems);
};

const shown = (name: SettingName, given: Given | undefined): string => {
  if (given === undefined) return 'nothing';
  return isSecret(name) ? 'a value that is not shown' : JSON.stringify(given.value);
};

const collectGiven = (
  env: Environment,
  required: readonly SettingName[],
  problems: string[],
): Map<SettingName, Given> => {
  const given = new Map<SettingName, Given>();
  for (const name of Object.keys(settingsSchema.shape) as SettingName[]) {
    const found = findGiven(name, env, problems);
    if (found !== undefined) given.set(name, found);
    else if (required.includes(name)) problems.push(`${name}: expected a value, received nothing`);
  }
  return given;
};

/**
 * Reads every setting; `required` names optional ones that this process cannot run without. All that is wrong
 * is added to `problems`; undefined when that leaves no usable settings.
 */
export const readSettings = (
  env: Environment,
  required: readonly SettingName[],
  problems: string[],
): Settings | undefined => {
  const given = collectGiven(env, required, problems);
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
  const parsed = settingsSchema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path[0] as SettingName;
    const variable = given.get(name)?.variable ?? name;
    problems.push(`${variable}: ${issue.message}, received ${shown(name, given.get(name))}`);
  }
  return parsed.data;
};
