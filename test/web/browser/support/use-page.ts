import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../../../support/chromium.ts';
import type { FakeModel } from '../../../support/fake-model/fake-model.ts';
import type { OrionStack } from '../../../support/orion-stack.ts';
import { useStack } from '../../../support/use-stack.ts';

/** The chat page of a stack without keys, whose model has prices. */
export interface PageInUse {
  readonly stack: OrionStack;
  readonly fake: FakeModel;
  readonly page: Page;
  /** Opens another page in a browser of its own; the caller closes it. */
  readonly open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Opens a browser of its own for pages that share what it keeps; the caller closes it. */
  readonly openBrowser: () => Promise<BrowserContext>;
}

/** The time (ms) within which anything must be there on a busy machine. */
const WITHIN_MS = 200_000;
/** Prices per million tokens, in the currency of the price list. */
const PRICES = { fake: { input: 2, cached: 0.5, output: 8 } };

/**
 * Gives each test of a file a page that is not open yet, on the same stack; `take` is called before each test. A
 * violation of the content policy fails the test. `settings` are those of the stack.
 */
export const usePage = (
  take: (world: PageInUse) => void,
  settings: Readonly<Record<string, string>> = {},
): void => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const shared: { stack?: OrionStack; fake?: FakeModel } = {};
  const env: Record<string, string> = { ...settings };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orion-page-'));
    const prices = join(folder, 'prices.json');
    await writeFile(prices, JSON.stringify(PRICES));
    env['ORION_PRICES_FILE'] = prices;
    browser = await startChromium();
  });
  useStack(env, ({ stack, fake }) => Object.assign(shared, { stack, fake }));
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const opened = await browser.newPage(options);
    opened.setDefaultTimeout(WITHIN_MS);
    await opened.addInitScript(`
      globalThis.violations = [];
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        globalThis.violations.push(violatedDirective + ' ' + blockedURI));
    `);
    return opened;
  };
  beforeEach(async () => {
    page = await open();
    const { stack, fake } = shared;
    if (!stack || !fake) throw new Error('expected a stack that has started');
    const openBrowser = async (): Promise<BrowserContext> => {
      const opened = await browser.newContext();
      opened.setDefaultTimeout(WITHIN_MS);
      return opened;
    };
    take({ stack, fake, page, open, openBrowser });
  });
  afterEach(async () => {
    const violations = await page.evaluate('globalThis.violations ?? []');
    await page.close();
    expect(violations).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });
};

/** Types a message and sends it. */
export const sendMessage = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};

/** Resolves once a page shows this many whole answers. */
export const untilAnswersAreWhole = async (page: Page, answers: number): Promise<void> => {
  const ends = page.getByRole('button', { name: 'Copy answer', exact: true });
  await ends.nth(answers - 1).waitFor();
};

/**
 * Resolves once `act` has sent a message into a turn and the gateway has accepted it, since the turn may otherwise end
 * first.
 */
export const untilMessageIsAccepted = async (page: Page, act: () => Promise<unknown>): Promise<void> => {
  const taken = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/messages'));
  await act();
  await page.getByText('Goes in with the next step', { exact: true }).waitFor();
  expect((await taken).ok()).toBe(true);
};
