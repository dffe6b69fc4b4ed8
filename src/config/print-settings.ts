import { secrets, type Settings } from './settings.ts';

const masked = (name: string, value: string): string => {
  if (name !== 'DATABASE_URL') return '********';
  // Host and database name are what one wants to check; only the password must not show, in either of its places.
  const url = new URL(value);
  if (url.password !== '') url.password = '********';
  if (url.searchParams.has('password')) url.searchParams.set('password', '********');
  return url.href;
};

const printed = (name: string, value: Settings[keyof Settings]): string => {
  if (value === undefined) return '';
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return secrets.some((secret) => secret === name) ? masked(name, text) : text;
};

/** All settings in effect as `NAME=value` lines, sorted, secrets masked. */
export const printSettings = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${printed(name, value)}`)
    .toSorted()
    .join('\n');
