import { format, resolveConfig } from 'prettier';
import { configurationPage } from './configuration-page.ts';
import { decisionsPage } from './decisions-page.ts';
import { eventsPage } from './events-page.ts';
import { httpApiPage } from './http-api-page.ts';

/**
 * The pages of docs/ that are generated from the code, by their path in the repository, with the function that makes
 * each.
 */
const makers: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/decisions/README.md': decisionsPage,
  'docs/http-api.md': httpApiPage,
};

/** Returns every generated page as it must be in the repository. */
export const makePages = async (): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map<string, string>();
  for (const [path, make] of Object.entries(makers)) {
    const options = await resolveConfig(path);
    pages.set(path, await format(make(), { ...options, filepath: path }));
  }
  return pages;
};
