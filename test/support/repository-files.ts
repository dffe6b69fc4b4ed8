import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './root.ts';

/** All files of the repository, also those that git does not know yet. Each path begins at `ROOT`. */
export const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

/** The files with code: those of Orion, of its tests and of its examples. */
export const CODE_FILES = FILES.filter((path) =>
  /^(?:src|activities|workflows|worker|test|examples)\/.*\.(?:ts|tsx|mjs)$/.test(path),
);

/** The source files of Orion, without tests and examples. */
export const PRODUCT_FILES = CODE_FILES.filter((path) => !/^(?:test|examples)\//.test(path));

/** The product files without migrations, each of which exports `up`, as Kysely requires. */
export const WITHOUT_MIGRATIONS = PRODUCT_FILES.filter((path) => !/^src\/db\/migrations\/\d/.test(path));

/** The files of tests, with their supports and doubles. */
export const TEST_FILES = CODE_FILES.filter((path) => path.startsWith('test/'));

/** The pages for people who use Orion or change it. */
export const PAGES = FILES.filter((path) => /^(?:[^/]+|docs\/.*|examples\/[^/]+)\.md$/.test(path));

/** Returns the text of a file, whose path begins at `ROOT`. */
export const sourceOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the files that the text of a file imports, including imports of types. `path` is that of the file. */
export const importsIn = (path: string, text: string): readonly string[] =>
  [...text.matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';$/gm)].map(([, target = '']) =>
    join(dirname(path), target),
  );
