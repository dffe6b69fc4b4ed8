import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** A start beside much other work may take longer than Playwright's own limit of 30 s. */
const START_TIMEOUT_MS = 200_000;

/** The first is the same engine without the windows, which takes a quarter of the time from the tests beside it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts the Chromium of this machine, without a window. If there is none, throws an error that says how to install
 * it.
 */
export const startChromium = (): Promise<Browser> => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const executablePath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
  if (executablePath === undefined) {
    throw new Error(
      `this test opens a page in a real browser, and none of ${NAMES.join(', ')} is on PATH: apt-get install chromium-headless-shell`,
    );
  }
  // Chromium's sandbox does not work for root, and the only page that is opened here is our own. Without
  // `--disable-gpu` it would emulate a GPU on the processor, and take that from the tests beside it.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--disable-gpu', ...sandbox];
  return chromium.launch({ executablePath, args, timeout: START_TIMEOUT_MS });
};
