import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** One file of the chat page, plain and compressed. */
export interface PageFile {
  /** Value of the header `Content-Type`. */
  readonly type: string;
  readonly bytes: Buffer;
  /** The compressed bytes by content coding (RFC 9110, section 8.4.1), the smallest first. */
  readonly compressed: readonly (readonly [coding: 'br' | 'gzip', bytes: Buffer])[];
}

/** The files of the chat page, by the path of their address. The page itself has the path `/`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the chat page from the folder in which set-up has built it (`src/stack/setup/web-page.mjs`). Returns undefined
 * if it was not built. The files are held in memory (docs/decisions/page-in-memory.md). Throws when the folder, a file
 * or one of its compressed forms cannot be read.
 */
export const readPageFiles = (folder: string): PageFiles | undefined => {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    const type = CONTENT_TYPES[extname(name)];
    if (type === undefined) continue;
    const compressed = [
      ['br', readFileSync(`${path}.br`)],
      ['gzip', readFileSync(`${path}.gz`)],
    ] as const;
    const address = name === 'index.html' ? '/' : `/${relative(folder, path).split(sep).join('/')}`;
    files.set(address, { type, bytes: readFileSync(path), compressed });
  }
  return files;
};
