import { format, resolveConfig } from 'prettier';
import { configurationPage } from './configuration-page.ts';
import { decisionsPage } from './decisions-page.ts';
import { eventsPage } from './events-page.ts';
import { httpApiPage } from './http-api-page.ts';

/** Pages of docs/ that are made of the code, by their path below the repository, with how each is made. */
const makers: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/decisions/README.md': decisionsPage,
  'docs/http-api.md': httpApiPage,
};

/** Every made page as it must stand in the repository. */
export const makePages = async (): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map<string, string>();
  for (const [path, make] of Object.entries(makers)) {
    const options = await resolveConfig(path);
    pages.set(path, await format(make(), { ...options, filepath: path }));
  }
  return pages;
};
