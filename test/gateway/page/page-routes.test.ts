/** Covers how the chat page and its files are served. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type PageFiles, readPageFiles } from '../../../src/gateway/page/page-files.ts';
import { everyKey, GatewayWorld } from '../support/gateway-world.ts';

const HTML = '<!doctype html><title>Orion</title><div id="page"></div>';
const SCRIPT = 'export const page = 1;';

let folder: string;
let page: PageFiles | undefined;
let world: GatewayWorld | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orion-page-'));
  mkdirSync(join(folder, 'assets'));
  for (const [name, text] of [
    ['index.html', HTML],
    ['assets/index-Ab1.js', SCRIPT],
  ] as const) {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  }
  writeFileSync(join(folder, 'sources'), 'a digest');
  page = readPageFiles(folder);
});
afterEach(() => world?.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** Sends a request and returns the body as it comes over the wire, which `fetch` would decompress. */
const asSent = async (
  url: string,
  coding: string,
): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> => {
  const asked = request(url, { headers: { 'Accept-Encoding': coding } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { headers: response.headers, bytes: Buffer.concat(await response.toArray()) };
};

/** Opens a gateway that serves these files; `null` stands for a page that was not built. */
const open = async (files: PageFiles | null = page ?? null): Promise<string> => {
  world = await GatewayWorld.open({}, { keys: everyKey, page: files ?? undefined });
  return world.url;
};

it('the page may run what this gateway serves, and nothing inside a text', async () => {
  const { status, headers } = await fetch(await open());
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ]);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|data:|\*/);
});

it.each([
  ['br', (bytes: Buffer) => brotliDecompressSync(bytes)],
  ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
  ['identity', (bytes: Buffer) => bytes],
] as const)('its files come in the coding that was asked for: %s', async (coding, decode) => {
  const { headers, bytes } = await asSent(`${await open()}/assets/index-Ab1.js`, coding);
  expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers['vary']).toContain('Accept-Encoding');
  expect(decode(bytes).toString()).toBe(SCRIPT);
});

it.each(['/sources', '/assets/index-Ab1.js.br', '/assets/..%2f..%2fpackage.json', '/index.html'])(
  'the gateway serves no other file: %s',
  async (path) => {
    expect((await fetch((await open()) + path)).status).toBe(404);
  },
);

it('the answer says how to build the page where that was not done', async () => {
  const answer = await fetch(await open(null));
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('node src/stack/setup.mjs'),
  ]);
  expect(readPageFiles(join(folder, 'assets'))).toBeUndefined();
});
