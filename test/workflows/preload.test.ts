import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Contracts with schemas that workflow code reaches, by their name in the bundle. */
const bundledSchemas = async (): Promise<string[]> => {
  const bundle = await readFile(process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const paths = [...bundle.matchAll(/^\/\*\*\*\/ "\.\/(src\/contracts\/[^"]+)"/gm)].map(
    ([, path]) => path ?? '',
  );
  const sources = await Promise.all(paths.map(async (path) => ({ path, source: await read(path) })));
  return sources.filter(({ source }) => /from 'zod'/.test(source)).map(({ path }) => path);
};

it('preloads every contract with schemas: one that only another names would be frozen and throw at use', async () => {
  const preload = await read('workflows/preload.ts');
  const preloaded = [...preload.matchAll(/import \* as \w+ from '\.\.\/([^']+)'/g)].map(([, path]) => path);
  const bundled = await bundledSchemas();
  expect(bundled.length).toBeGreaterThan(0);
  expect(new Set(preloaded)).toEqual(new Set(bundled));
});
