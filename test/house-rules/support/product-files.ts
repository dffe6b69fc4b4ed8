import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The source files of Orion, without tests and examples. Each path begins at `ROOT`. */
export const PRODUCT_FILES = globSync('{src,activities,workflows,worker}/**/*.{ts,tsx,mjs}', { cwd: ROOT });

/** The product files without migrations, each of which exports `up`, as Kysely requires. */
export const WITHOUT_MIGRATIONS = PRODUCT_FILES.filter((file) => !/^src\/db\/migrations\/\d/.test(file));

/** Returns the text of a file, whose path begins at `ROOT`. */
export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
