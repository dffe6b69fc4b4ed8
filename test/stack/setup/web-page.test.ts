/** Makes a real build of the chat page, from a checkout that has only the rooms which the Dockerfile copies for it. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ensureWebPage, pageFolder } from '../../../src/stack/setup/web-page.mjs';
import { ROOT } from '../../support/root.ts';

jest.setTimeout(120_000);

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'orion-page-'));
  for (const name of ['package-lock.json', 'tsconfig.json', 'node_modules']) {
    symlinkSync(join(ROOT, name), join(checkout, name));
  }
  for (const folder of ['src', '.orion']) mkdirSync(join(checkout, folder));
  // Copied and not linked, because the bundler resolves imports from the real path of a file.
  for (const [, room = ''] of readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(
    /^COPY (src\/\S+) /gm,
  )) {
    cpSync(join(ROOT, room), join(checkout, room), { recursive: true });
  }
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(checkout, { recursive: true, force: true });
});

it('the page is the production page of React, whatever the environment of the caller says', () => {
  // Jest sets this value, and the set-up passes it on when `npm test` builds the page first.
  expect(process.env['NODE_ENV']).toBe('test');
  ensureWebPage(checkout, process.execPath);
  const assets = join(pageFolder(checkout), 'assets');
  const scripts = readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('\n');
  // Each text is in only one of React's two builds; the second shows that the first would be found.
  expect(scripts.includes('Download the React DevTools')).toBe(false);
  expect(scripts.includes('Minified React error')).toBe(true);
});
