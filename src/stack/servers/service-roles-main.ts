/*
 * `node src/stack/servers/service-roles-main.ts <address of the superuser> <file of its password> <role> …` makes roles
 * and databases. A role is given as `<name>:<file of its password>:<database>,…`.
 */
import { readFileSync } from 'node:fs';
import { enterProcess } from '../../process/process-entry.ts';
import { ensureServiceRoles, type ServiceRole } from '../../db/connection/service-roles.ts';

/** The superuser of earlier compose files. Orion and Temporal used to log in with this name. */
const FORMER_SUPERUSER = 'orion';

const readSecret = (path: string): string => readFileSync(path, 'utf8').trim();

const readRole = (text: string): ServiceRole => {
  const [name, file, databases] = text.split(':');
  if (!name || !file || !databases) {
    throw new Error(`expected <name>:<file of its password>:<database>,…, received ${JSON.stringify(text)}`);
  }
  return { name, password: readSecret(file), databases: databases.split(',') };
};

const readArguments = (): { url: string; roles: readonly ServiceRole[] } => {
  const [address, file, ...roles] = process.argv.slice(2);
  if (address === undefined || file === undefined) {
    throw new Error('expected the address of the superuser and the file of its password, received fewer');
  }
  const url = new URL(address);
  url.password = encodeURIComponent(readSecret(file));
  return { url: url.href, roles: roles.map(readRole) };
};

enterProcess('orion-service-roles', readArguments, async ({ url, roles }) => {
  await ensureServiceRoles(url, FORMER_SUPERUSER, roles);
  process.stdout.write(
    `${roles.map(({ name, databases }) => `${name} owns ${databases.join(', ')}`).join('; ')}\n`,
  );
});
