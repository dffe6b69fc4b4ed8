/**
 * This module is loaded before a program of Orion; from that moment every function of the program reports when it
 * begins.
 */
import fs, { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withCalls } from './with-calls.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OURS = /^(?:src|workflows|activities|worker)\/.*\.ts$/;
const WRITE_EVERY_MS = 100;

/**
 * The path of the file to which all processes of the stack append, taken from the URL by which this module was loaded.
 */
const place = new URL(import.meta.url).searchParams.get('to');
const entry = relative(ROOT, process.argv[1] ?? '');
const unwritten: string[] = [];
let last = '';

/** Records a call; two calls in a row within one file are recorded as one step. */
const record = (file: string, side: string): void => {
  if (file === last) return;
  last = file;
  unwritten.push(`${JSON.stringify({ at: performance.timeOrigin + performance.now(), side, file })}\n`);
};

const sideOf = (file: string): string => {
  if (entry === 'worker/write-bundle.ts') return 'workflow';
  return entry === 'worker/main.ts' ? 'worker' : entry.startsWith('src/gateway/') ? 'gateway' : file;
};

/**
 * The expression that calls `record`. It also works in the sandbox of workflows, which has only a few constructors of
 * its host's globals: code reaches the host through one of them.
 */
const CALL = 'URL.constructor("return globalThis")().recordCall?.';

const instrumented = (path: string, source: string): string => {
  const file = relative(ROOT, path);
  if (!OURS.test(file)) return source;
  return withCalls(source, `${CALL}(${JSON.stringify(file)}, ${JSON.stringify(sideOf(file))})`);
};

Object.assign(globalThis, { recordCall: record });

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(new URL('../../..', import.meta.url).href) || !loaded.source) return loaded;
    return {
      ...loaded,
      source: instrumented(fileURLToPath(url), Buffer.from(loaded.source as Uint8Array).toString()),
    };
  },
});

/**
 * The bundler of workflows reads files with `fs.readFile` and not through Node's loader, so that function returns the
 * instrumented source, too.
 */
if (entry === 'worker/write-bundle.ts') {
  const { readFile } = fs;
  type Read = (error: Error | null, bytes: Buffer) => void;
  const reading = (path: string, done: Read): void =>
    readFile(path, (error, bytes) =>
      done(error, error ? bytes : Buffer.from(instrumented(path, bytes.toString()))),
    );
  Object.assign(fs, {
    readFile: (path: string, ...rest: [...unknown[], Read]) => reading(path, rest.at(-1) as Read),
  });
}

setInterval(() => {
  if (place !== null && unwritten.length > 0) appendFileSync(place, unwritten.splice(0).join(''));
}, WRITE_EVERY_MS).unref();
