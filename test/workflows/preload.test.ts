import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Bundled {
  readonly path: string;
  readonly source: string;
}

/** Resolves to our modules that workflow code reaches, by their names in the bundle. */
const bundled = async (): Promise<Bundled[]> => {
  const bundle = await readFile(process.env['ORION_TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const paths = [...bundle.matchAll(/^\/\*\*\*\/ "\.\/((?:src|workflows)\/[^"]+)"/gm)].map(
    ([, path]) => path ?? '',
  );
  return Promise.all(paths.map(async (path) => ({ path, source: await read(path) })));
};

const isContractWithSchemas = ({ path, source }: Bundled): boolean =>
  path.startsWith('src/contracts/') && /^import (?!type ).*from 'zod'/m.test(source);

/** Matches a variable of a module, or a container in a constant that is not declared read-only. */
const STATE = /^(?:export )?(?:(?:let|var) .*|const \w+ = (?:new (?!Set\(\[|RegExp)\w+|\[\]|\{\}).*)/gm;

it('preloads every contract with schemas: one that only another names would be frozen and throw at use', async () => {
  const preload = await read('workflows/preload.ts');
  const preloaded = [...preload.matchAll(/import \* as \w+ from '\.\.\/([^']+)'/g)].map(([, path]) => path);
  const schemas = (await bundled()).filter(isContractWithSchemas).map(({ path }) => path);
  expect(schemas.length).toBeGreaterThan(0);
  expect(new Set(preloaded)).toEqual(new Set(schemas));
});

it('preloads no module with a state: all workflows of a worker would share it', async () => {
  const modules = await bundled();
  expect(modules.map(({ path }) => path)).toContain('workflows/turn/turn-workflow.ts');
  expect(
    modules.flatMap(({ path, source }) => (source.match(STATE) ?? []).map((line) => `${path}: ${line}`)),
  ).toEqual([]);
});

it.each([
  'let calls = 0;',
  'export var last;',
  'const known = new Map();',
  'const seen = [];',
  'const byId = {};',
])('tells that a module keeps a state: %s', (line) =>
  expect(`import x;\n${line}\n`.match(STATE)).toEqual([line]),
);
