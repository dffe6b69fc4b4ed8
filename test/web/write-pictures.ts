/**
 * `npm run pictures -- <address>`: takes the pictures of docs/pictures again, on an Orion that was just started with
 * its demo model and `ORION_APPROVALS=writes ORION_COMMANDS=ask` in a workspace of its own (CONTRIBUTING.md).
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';

const FOLDER = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const WIDE = { width: 1_180, height: 760 };
const PHONE = { width: 390, height: 780 };
const WITHIN_MS = 60_000;

const [address] = process.argv.slice(2);
if (address === undefined) throw new Error('expected the address of an Orion that runs, received nothing');

const sendMessage = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};

const allow = (page: Page): Promise<void> => page.getByRole('button', { name: 'Allow', exact: true }).click();

const whole = (page: Page, answers = 1): Promise<void> =>
  page
    .getByRole('button', { name: 'Copy answer', exact: true })
    .nth(answers - 1)
    .waitFor();

const take = async (page: Page, name: string): Promise<void> => {
  // The pointer is moved away, since a hint may be shown where it rests.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
};

const openPage = async (browser: Browser, options: BrowserContextOptions): Promise<Page> => {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(WITHIN_MS);
  await page.goto(address);
  await page.getByLabel('Message', { exact: true }).waitFor();
  return page;
};

/** Takes a picture of a conversation with a tool and a command, and of what its turn did. */
const takeTimeline = async (page: Page): Promise<void> => {
  await sendMessage(page, 'Run the tests and fix the bug');
  const end = page.getByRole('button', { name: 'Copy answer', exact: true });
  const mayRun = page.getByRole('button', { name: 'Allow', exact: true });
  while ((await end.count()) === 0) {
    await end.or(mayRun).first().waitFor();
    if ((await mayRun.count()) > 0) await mayRun.click().catch(() => undefined);
  }
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
  await steps.waitFor();
  await page.locator('.timeline').evaluate('document.querySelector(".timeline").scrollIntoView()');
  await take(page, 'timeline');
};

const browser = await startChromium();
try {
  const page = await openPage(browser, { viewport: WIDE, colorScheme: 'light' });
  await sendMessage(page, 'What is in this project?');
  await whole(page);
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await takeTimeline(page);
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await sendMessage(page, 'Write a 300-line file docs/tides.md');
  await page.getByLabel('Changes of docs/tides.md', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Needs you 1', exact: true }).waitFor();
  await take(page, 'approval');
  const phone = await openPage(browser, { viewport: PHONE, colorScheme: 'dark' });
  await phone.goto(page.url());
  await phone.getByLabel('Changes of docs/tides.md', { exact: true }).waitFor();
  await take(phone, 'phone');
  await phone.getByRole('button', { name: /^Conversations/ }).click();
  await phone.getByRole('link', { name: 'Project by day', exact: true }).waitFor();
  await take(phone, 'sidebar');
  await allow(page);
  await whole(page);
  await page.getByText('Changed a file', { exact: true }).click();
  await take(page, 'answer');
} finally {
  await browser.close();
}
