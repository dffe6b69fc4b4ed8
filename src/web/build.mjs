/*
 * Usage: `node src/web/build.mjs <folder>`. Builds the page as a gateway serves it, each file beside its compressed
 * forms. The names of all files except `index.html` contain a hash of the content, so that browsers may keep the files
 * for good.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { withoutDescriptions } from './without-descriptions.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder to write the page to, received nothing');
const outDir = resolve(folder);

await build({
  configFile: false,
  root: fileURLToPath(new URL('.', import.meta.url)),
  logLevel: 'warn',
  plugins: [withoutDescriptions],
  // Nothing is inlined, because the content security policy allows neither inline scripts nor scripts from `data:`
  // URLs.
  build: { outDir, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});

const files = readdirSync(outDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
for (const { parentPath, name } of files) {
  const path = join(parentPath, name);
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
