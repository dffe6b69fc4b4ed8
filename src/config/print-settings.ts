const masked = (name: string, value: string): string => {
  if (name !== 'DATABASE_URL') return '********';
  // Host and database name are what one wants to check; only the password must not show, in either of its places.
  const url = new URL(value);
  if (url.password !== '') url.password = '********';
  if (url.searchParams.has('password')) url.searchParams.set('password', '********');
  return url.href;
};

/** An address is shown, but not what some proxies are given with it: a password, a key in the query. */
const withoutUrlSecrets = (value: string): string => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || (url.password === '' && url.search === '')) return value;
  if (url.password !== '') url.password = '********';
  if (url.search !== '') url.search = '?********';
  return url.href;
};

type SettingValue = string | number | boolean | readonly string[] | undefined;

const printed = (name: string, value: SettingValue, secrets: readonly string[]): string => {
  if (value === undefined) return '';
  const text = typeof value === 'object' ? value.join(',') : String(value);
  return secrets.includes(name) ? masked(name, text) : withoutUrlSecrets(text);
};

/** Every setting with its value as text, sorted by name, secrets masked. */
export const listSettings = (
  settings: Readonly<Record<string, SettingValue>>,
  secrets: readonly string[],
): readonly { readonly name: string; readonly value: string }[] =>
  Object.keys(settings)
    .toSorted()
    .map((name) => ({ name, value: printed(name, settings[name], secrets) }));

/** All settings in effect as `NAME=value` lines, sorted, secrets masked. */
export const printSettings = (
  settings: Readonly<Record<string, SettingValue>>,
  secrets: readonly string[],
): string =>
  listSettings(settings, secrets)
    .map(({ name, value }) => `${name}=${value}`)
    .join('\n');
