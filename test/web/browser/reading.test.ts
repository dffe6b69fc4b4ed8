/**
 * Covers reading what was said: long conversations, texts from right to left, the cost of looking elsewhere, and
 * silence.
 */
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import { MAX_VISIBLE_ITEMS } from '../../../src/web/conversation/visible-range.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const NOTES = 100;

/** Adds `count` notes to the conversation of a page. */
const addNotes = async ({ stack, page }: PageInUse, count: number): Promise<void> => {
  const conversationId = new URL(page.url()).searchParams.get('conversation');
  for (let n = 0; n < count; n += 1) {
    const body = { projectId: 'default', conversationId, sender: 'system', content: `Note ${n} of many` };
    const headers = { 'Content-Type': 'application/json' };
    const posted = await fetch(`${stack.baseUrl}/api/chat/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(posted.ok).toBe(true);
  }
};

/** Returns the address of the conversation of a page, without the turn that was asked for here. */
const endOf = (page: Page): string => {
  const address = new URL(page.url());
  address.searchParams.delete('turn');
  return address.href;
};

const drawnItems = (page: Page): Locator => page.locator('.column > :is(.note, .exchange)');
const buttonNamed = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** Presses a button until `isThere`, waits each time for another part of the conversation, and counts what is drawn. */
const readOn = async (page: Page, button: string, isThere: () => Promise<boolean>): Promise<void> => {
  const drawn = drawnItems(page);
  const ends = async (): Promise<string> =>
    [await drawn.first().innerText(), await drawn.last().innerText(), await drawn.nth(-2).innerText()].join();
  while (!(await isThere())) {
    const before = await ends();
    await buttonNamed(page, button).focus();
    await page.keyboard.press('Enter');
    await eventually('another part', async () => (await ends()) !== before || (await isThere()));
    // The newest turn is drawn below the others even so, since it may be running.
    expect(await drawn.count()).toBeLessThanOrEqual(MAX_VISIBLE_ITEMS + 1);
  }
};

it('a long conversation opens at its end, and is read to its beginning and back with few items drawn', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('The first answer.'), answer('The last answer.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'The first question');
  await untilAnswersAreWhole(page, 1);
  const first = page.url();
  await addNotes(world, NOTES);
  await page.goto(endOf(page));
  await page.getByText(`Note ${NOTES - 1} of many`, { exact: true }).waitFor();
  await sendMessage(page, 'The last question');
  await page.getByText('The last answer.').waitFor();
  await page.goto(endOf(page));
  await page.getByText('The last answer.').waitFor();
  expect(await drawnItems(page).count()).toBeLessThan(MAX_VISIBLE_ITEMS);
  // The title of the conversation is this message, too.
  const message = page.locator('.exchange').getByText('The first question', { exact: true });
  await readOn(page, 'Earlier messages', async () => (await message.count()) > 0);
  await buttonNamed(page, 'Earlier messages').waitFor({ state: 'detached' });
  // The focus is still in the conversation for those who use the keyboard.
  expect(await page.evaluate('document.activeElement.role')).toBe('log');
  expect(await page.getByText('The last answer.').count()).toBe(1);
  const later = buttonNamed(page, 'Later messages');
  await readOn(page, 'Later messages', async () => (await later.count()) === 0);
  expect(await message.count()).toBe(0);
  await page.goto(first);
  await message.waitFor();
  await eventually('the message of the address in sight', () => isInSight(page, message));
});

const isInSight = async (page: Page, text: Locator): Promise<boolean> => {
  const box = await text.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
};

it('the view does not move when earlier messages appear above it', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Yes.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Begin');
  await untilAnswersAreWhole(page, 1);
  await addNotes(world, 45);
  await page.setViewportSize({ width: 800, height: 500 });
  await page.goto(endOf(page));
  await page.getByText('Note 44 of many', { exact: true }).waitFor();
  const earlier = buttonNamed(page, 'Earlier messages');
  await page.evaluate("document.querySelector('[role=log]').scrollTop = 0");
  const note = page.getByText('Note 25 of many', { exact: true });
  await eventually('the first of these notes in sight', () => isInSight(page, note));
  const { y: before = 0 } = (await note.boundingBox()) ?? {};
  await earlier.click();
  await page.getByText('Note 15 of many', { exact: true }).waitFor({ state: 'attached' });
  // Ten notes came above this one, each as high as this one.
  await eventually('the note where it was', async () => {
    const { y: after = 0 } = (await note.boundingBox()) ?? {};
    return Math.abs(after - before) < 60;
  });
});

const HEBREW = 'מה יש בקובץ README.md?';
const MIXED = `שלום, הקובץ \`docs/a.md\` קיים.

- ראשון
- שני

\`\`\`js
const x = "שלום";
\`\`\`

An English paragraph, with שלום in it.

مرحبا بالعالم.
`;

it('texts that run from right to left do so block by block, code does not, at the width of a phone', async () => {
  const { fake, stack, open } = world;
  const phone = await open({ viewport: { width: 390, height: 844 } });
  fake.script(
    answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'אני מסתכל. ' }),
    answer(MIXED),
    answer('And in English.'),
  );
  await phone.goto(stack.baseUrl);
  const field = phone.getByLabel('Message', { exact: true });
  await field.fill(HEBREW);
  /** Resolves to the value of an expression of `one` for each element of a selector. */
  const each = (selector: string, expression: string): Promise<unknown> =>
    phone.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => ${expression})`);
  const isRtl = (selector: string): Promise<unknown> => each(selector, `one.matches(':dir(rtl)')`);
  expect(await isRtl('#message')).toEqual([true]);
  await field.press('Enter');
  await untilAnswersAreWhole(phone, 1);
  expect(await isRtl('.user-message')).toEqual([true]);
  expect(await isRtl('.answer .block')).toEqual([true, true, true, false, true]);
  expect(await isRtl('.answer .block li')).toEqual([true, true]);
  expect(await isRtl('.answer .markdown figure, .answer .markdown pre')).toEqual([false, false]);
  expect(await each('.answer p code', 'getComputedStyle(one).direction')).toEqual(['ltr']);
  await sendMessage(phone, 'And in English?');
  await untilAnswersAreWhole(phone, 2);
  // Questions are aligned at one side whichever way their text runs, and nothing is wider than the screen.
  const ends = (await each('.user-message', 'Math.round(one.getBoundingClientRect().right)')) as number[];
  expect(ends).toHaveLength(2);
  expect(new Set(ends).size).toBe(1);
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await phone.screenshot({ path: '.orion/screenshots/right-to-left-phone.png' });
  await phone.close();
});

it('one tab listens for all tabs of its browser, and requests nothing while nothing changes', async () => {
  const { fake, stack, openBrowser } = world;
  const context = await openBrowser();
  await context.clock.install();
  const tabs = [await context.newPage(), await context.newPage(), await context.newPage()];
  const hearing = new Set<Page>();
  const asked: string[] = [];
  for (const tab of tabs) {
    tab.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/api/inputs/news') hearing.add(tab);
      if (pathname.startsWith('/api/inputs')) asked.push(pathname);
    });
  }
  fake.script(...tabs.map(() => answerWithCall('UserTool_ask', { question: 'Which?' })));
  for (const tab of tabs) {
    await tab.goto(stack.baseUrl);
    await sendMessage(tab, 'Ask me');
    await tab.getByRole('button', { name: 'No answer', exact: true }).waitFor();
  }
  for (const tab of tabs) await tab.getByRole('heading', { name: 'Needs you 3', exact: true }).waitFor();
  // The gateway's signs of life follow its own clock, so this time stays below the silence that a tab tolerates.
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) await context.clock.runFor(1_000);
  };
  await pass(5);
  asked.length = 0;
  await pass(20);
  expect([hearing.size, asked]).toEqual([1, []]);
  // The tab that listens is closed, and another one takes over.
  const [first, ...others] = tabs;
  await first?.close();
  for (const tab of others) await tab.getByRole('button', { name: 'Stop', exact: true }).click();
  for (const tab of others) await tab.getByRole('heading', { name: 'Needs you 1', exact: true }).waitFor();
  await context.close();
});

it('the page asks a silent gateway again, and a message that gets no answer can be sent again', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Heard after all.'));
  await page.clock.install();
  await page.goto(stack.baseUrl);
  // The conversation has been read; a read that has not ended would be given up together with the message.
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  const exchange = page.locator('.exchange');
  await page.route('**/api/turns', () => undefined, { times: 1 });
  await page.route('**/api/turns/*/events', () => undefined, { times: 1 });
  await sendMessage(page, 'Anybody there?');
  await page.getByText('Sending', { exact: true }).waitFor();
  await page.clock.fastForward(61_000);
  await exchange.getByText('The gateway does not answer.', { exact: true }).waitFor();
  const read = page.waitForRequest('**/api/turns/*/events');
  await exchange.getByRole('button', { name: 'Try again', exact: true }).click();
  await read;
  await page.clock.fastForward(46_000);
  await page.getByText('Heard after all.', { exact: true }).waitFor();
  await untilAnswersAreWhole(page, 1);
  expect(await exchange.getByRole('alert').count()).toBe(0);
});

it('the page is no more than 180 kB, compressed', async () => {
  const { page, stack } = world;
  const sizes: number[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/')) {
      sizes.push(Number(response.headers()['content-length']));
    }
  });
  await page.goto(stack.baseUrl);
  await page.getByLabel('Message', { exact: true }).waitFor();
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(180_000);
});

const visible = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).filter({ visible: true }).count();

it('a print has all that is drawn, light and without controls, and says that more was said before', async () => {
  const { fake, stack, open } = world;
  const phone = await open({ colorScheme: 'dark', viewport: { width: 600, height: 500 } });
  const lines = Array.from({ length: 150 }, (_, n) => `line ${n} ${'wide '.repeat(40)}`);
  const code = ['```', ...lines, '```', '', 'The end of it.'].join('\n');
  fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('First.'), answer(code));
  await phone.goto(stack.baseUrl);
  await sendMessage(phone, 'Begin');
  await untilAnswersAreWhole(phone, 1);
  await addNotes({ ...world, page: phone }, 45);
  await sendMessage(phone, 'Write code');
  await untilAnswersAreWhole(phone, 2);
  await phone.goto(endOf(phone));
  await untilAnswersAreWhole(phone, 1);
  await phone.getByText('What it did', { exact: true }).last().click();
  await phone.getByRole('list', { name: 'Steps of the turn', exact: true }).waitFor();
  const missing = phone.getByText('Earlier messages are not on this paper.', { exact: true });
  expect(await missing.isVisible()).toBe(false);
  await phone.emulateMedia({ media: 'print' });
  expect(await visible(phone, 'button, input, select, textarea, .sidebar, .composer')).toBe(0);
  expect(await missing.isVisible()).toBe(true);
  await phone.getByText('The end of it.', { exact: true }).waitFor();
  await phone.getByText('What it did', { exact: true }).waitFor();
  const cut = await phone.evaluate(`[...document.querySelectorAll('main, main *')].filter((one) =>
    one.checkVisibility() && getComputedStyle(one).overflow !== 'visible' && !one.closest('.hidden, svg') &&
    (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)).map((one) => one.className)`);
  expect(cut).toEqual([]);
  const ground = await phone.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  expect(ground).toBe('rgb(250, 249, 246)');
  expect(await phone.evaluate('getComputedStyle(document.documentElement).color')).toBe('rgb(31, 35, 38)');
  // Skia writes the object of each page uncompressed.
  const pages = (await phone.pdf()).toString('latin1').match(/\/Type \/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThan(5);
  await phone.screenshot({ path: '.orion/screenshots/print.png' });
  await phone.close();
});
