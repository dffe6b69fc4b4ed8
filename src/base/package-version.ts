import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });
const OWN_FILE = new URL('../../package.json', import.meta.url);

/**
 * Returns the version in a package.json, by default in that of Orion. Throws if the file cannot be read or has no
 * version.
 */
export const packageVersion = (file: URL | string = OWN_FILE): string =>
  packageSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
