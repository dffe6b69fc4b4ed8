import type { Setting } from '../../contracts/values/setting.ts';
import { isSettingGiven, type Environment, type SettingsGroup } from './load-settings.ts';

type SettingValue = string | number | boolean | readonly string[] | undefined;

/**
 * Returns every setting of a group with its value as text, sorted by name, with secrets masked. The value is empty if
 * the setting is unset and has no default.
 */
export const listSettings = (
  group: SettingsGroup,
  settings: Readonly<Record<string, SettingValue>>,
  env: Environment,
): readonly Setting[] =>
  Object.keys(group.schema.shape)
    .toSorted()
    .map((name) => ({
      name,
      value: printed(name, settings[name], group.secrets),
      isDefault: !isSettingGiven(group, env, name),
    }));

const printed = (name: string, value: SettingValue, secrets: readonly string[]): string => {
  if (value === undefined) return '';
  const text = typeof value === 'object' ? value.join(',') : String(value);
  return secrets.includes(name) ? masked(name, text) : withoutUrlSecrets(text);
};

const masked = (name: string, value: string): string => {
  if (name !== 'DATABASE_URL') return '********';
  // People want to check host and database name. Only the password is masked, in both places where it may be.
  const url = new URL(value);
  if (url.password !== '') url.password = '********';
  if (url.searchParams.has('password')) url.searchParams.set('password', '********');
  return url.href;
};

/**
 * Returns an http(s) address with its password and its query masked, because some proxies take their key in the query.
 * Any other value is returned unchanged.
 */
const withoutUrlSecrets = (value: string): string => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || (url.password === '' && url.search === '')) return value;
  if (url.password !== '') url.password = '********';
  if (url.search !== '') url.search = '?********';
  return url.href;
};
