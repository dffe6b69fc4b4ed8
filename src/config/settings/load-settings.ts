import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { errorMessage } from '../../contracts/values/error-message.ts';

/** Environment variables by name, such as those of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of one program, by the names of their variables. */
export interface SettingsGroup<S extends z.ZodObject = z.ZodObject> {
  readonly schema: S;
  /** Setting names by their aliases, which are former or shorter names. */
  readonly aliases: Readonly<Record<string, string>>;
  /**
   * Names of the secrets, which are printed only masked. Each may also be given as the path of a file in `<name>_FILE`.
   */
  readonly secrets: readonly string[];
}

/**
 * The value of one setting, and the variable that holds it. Problems name this variable, since it is what the person
 * wrote.
 */
interface GivenValue {
  readonly variable: string;
  readonly value: string;
}

/** Reports whether a setting is given under any of its names, or as a file that can be read. */
export const isSettingGiven = (group: SettingsGroup, env: Environment, name: string): boolean =>
  findGiven(group, name, env, []) !== undefined;

/**
 * Reads every setting of `group` from `env`. `required` names optional settings that this process cannot run without.
 * Problems are added to `problems`. Returns undefined if a value is wrong, but not if only a required one is missing.
 */
export const readSettings = <S extends z.ZodObject>(
  group: SettingsGroup<S>,
  env: Environment,
  required: readonly (keyof z.infer<S> & string)[],
  problems: string[],
): z.infer<S> | undefined => {
  const givenSettings = collectGiven(group, env, required, problems);
  const values = Object.fromEntries([...givenSettings].map(([name, { value }]) => [name, value]));
  const parsed = group.schema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const variable = givenSettings.get(name)?.variable ?? name;
    problems.push(
      `${variable}: ${issue.message}, received ${receivedText(group, name, givenSettings.get(name))}`,
    );
  }
  return parsed.data;
};

const collectGiven = (
  group: SettingsGroup,
  env: Environment,
  required: readonly string[],
  problems: string[],
): Map<string, GivenValue> => {
  const values = new Map<string, GivenValue>();
  for (const name of Object.keys(group.schema.shape)) {
    const givenValue = findGiven(group, name, env, problems);
    if (givenValue !== undefined) values.set(name, givenValue);
    else if (required.includes(name)) problems.push(`${name}: expected a value, received nothing`);
  }
  return values;
};

const findGiven = (
  { aliases, secrets }: SettingsGroup,
  name: string,
  env: Environment,
  problems: string[],
): GivenValue | undefined => {
  const others = Object.keys(aliases).filter((alias) => aliases[alias] === name);
  const variable = [name, ...others].find((candidate) => isSet(candidate, env[candidate]));
  const file = secrets.includes(name) ? env[`${name}_FILE`] : undefined;
  if (file === undefined || file.trim() === '') {
    return variable === undefined ? undefined : { variable, value: env[variable] ?? '' };
  }
  if (variable !== undefined) {
    problems.push(`${name}_FILE: expected nothing while ${variable} is set, received a path`);
  }
  return readSecretFile(name, file, problems);
};

/**
 * Reports whether a variable is set. An empty one counts as unset (compose files pass `NAME=`), except where empty
 * means off.
 */
const isSet = (variable: string, value: string | undefined): value is string =>
  value !== undefined && (value.trim() !== '' || variable === 'TWO_STAGE_ENABLED');

const readSecretFile = (name: string, path: string, problems: string[]): GivenValue | undefined => {
  try {
    return { variable: `${name}_FILE`, value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const reason = errorMessage(error);
    problems.push(
      `${name}_FILE: expected the path of a readable file, received ${JSON.stringify(path)} (${reason})`,
    );
    return undefined;
  }
};

const receivedText = ({ secrets }: SettingsGroup, name: string, value: GivenValue | undefined): string => {
  if (value === undefined) return 'nothing';
  return secrets.includes(name) ? 'a value that is not shown' : JSON.stringify(withoutLogin(value.value));
};

/** Masks the login in an address, which is a secret, whatever the variable. */
const withoutLogin = (value: string): string => value.replace(/\/\/[^/?#\s]*@/g, '//********@');
