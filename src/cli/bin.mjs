#!/usr/bin/env node
/*
 * The `orion` command. It is plain JavaScript, so that it runs on Node 20. The sources need a Node that strips types:
 * if the Node that runs this file does not, they run on the one that the set-up has linked (src/stack/setup.mjs).
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const ownNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

const stripsTypes = 'typescript' in process.features && Boolean(process.features.typescript);

const runOn = (/** @type {string} */ node) => {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends SIGINT to both processes. If it were passed on, the child would see a second Ctrl-C.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => {
    process.stderr.write(`orion: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
};

if (stripsTypes) {
  await import(main);
} else if (existsSync(ownNode)) {
  runOn(ownNode);
} else {
  process.stderr.write(
    `orion: Node 22.18 or newer is needed, this is ${process.version}. \`npm start\` installs one.\n`,
  );
  process.exitCode = 1;
}
