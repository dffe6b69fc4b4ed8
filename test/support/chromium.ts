import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** For a start beside much other work; Playwright's own limit is 30 s. */
const START_TIMEOUT_MS = 200_000;

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Starts the Chromium of this machine, without a window. Throws, and says how to get one, where there is none. */
export const startChromium = (): Promise<Browser> => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const executablePath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
  if (executablePath === undefined) {
    throw new Error(
      `this test opens a page in a real browser, and none of ${NAMES.join(', ')} is on PATH: apt-get install chromium`,
    );
  }
  // Its sandbox does not work for root; the only page that is opened here is our own. Without a GPU it would draw by one
  // that it plays on the processor, which takes that from the tests beside it.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--disable-gpu', ...sandbox];
  return chromium.launch({ executablePath, args, timeout: START_TIMEOUT_MS });
};
