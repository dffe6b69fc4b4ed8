import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });
const OWN_FILE = new URL('../../package.json', import.meta.url);

/**
 * Returns the version that a package.json names. It is that of this Orion, unless another file is given. Throws when it
 * has none.
 */
export const packageVersion = (file: URL | string = OWN_FILE): string =>
  packageSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
