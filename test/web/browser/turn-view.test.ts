/** Covers the time and cost of turns on the chat page in a real Chromium: drawn to scale, zoomed, compared. */
import { expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Response, Route } from 'playwright-core';
import type { DayList } from '../../../src/contracts/http/day-api.ts';
import { ChatClient } from '../../support/chat-client.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

it('the view of a turn says what conversation, turn and model calls have cost, and what came from where', async () => {
  const { page, fake, stack } = world;
  fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('Nothing there.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'List');
  await untilAnswersAreWhole(page, 1);
  // The cost is that of two calls of 100 tokens at 2 and of 20 tokens at 8 per million.
  await page.locator('.top').getByText('Cost 0.00072', { exact: true }).waitFor();
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true }).getByRole('listitem');
  await steps
    .first()
    .getByText(/100 tokens read · 20 written · cost 0\.00036/)
    .waitFor();
  const facts = page.locator('.timeline dl');
  await facts.filter({ hasText: /Tokens read\s*200/ }).waitFor();
  expect((await facts.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /Cost 0\.00072 .*Model calls 2 .*Tokens read 200/,
  );
  await page.screenshot({ path: '.orion/screenshots/turn-view.png' });
});

/** Holds back the events of turns, which then reach the page all at once when the turn has ended. */
const holdEvents = async ({ page, stack }: PageInUse): Promise<void> => {
  const chat = new ChatClient(stack.baseUrl);
  await page.route('**/api/turns/*/events', async (route) => {
    const path = new URL(route.request().url()).pathname.replace(/\/events$/, '');
    await eventually('the end of the turn', async () => (await chat.json(path))['status'] === 'completed');
    await route.continue();
  });
};

const isStart = (response: Response): boolean =>
  response.request().method() === 'POST' && response.url().endsWith('/api/turns');

it.each(['', ', and the question is read back before them'])(
  'counts for its conversation though all of its events come at once, after its end%s',
  async (readBack) => {
    const { page, fake, stack } = world;
    fake.script(answer('Yes.'));
    await holdEvents(world);
    const started = page.waitForResponse(isStart);
    const hold = async (route: Route): Promise<void> => {
      await started;
      await route.continue();
    };
    if (readBack !== '') await page.route('**/api/chat/messages*', hold, { times: 1 });
    await page.goto(stack.baseUrl);
    await sendMessage(page, 'Well?');
    await untilAnswersAreWhole(page, 1);
    await page.locator('.top').getByText('Cost 0.00036', { exact: true }).waitFor();
    expect(await page.locator('.sidebar a[aria-current] .title').allInnerTexts()).toEqual(['Well?']);
  },
);

it('the view of a turn is zoomed to a step and out again', async () => {
  const { page, fake, stack } = world;
  fake.script(
    answerWithCall('FileSystemTool_list_files', { path: '.' }),
    answer('Nothing there.'),
    answer('Then.'),
  );
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'List');
  await untilAnswersAreWhole(page, 1);
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true }).getByRole('listitem');
  const bars = steps.locator('rect:not(.silent)');
  await steps.nth(2).waitFor();
  expect(await bars.count()).toBe(3);
  await steps.nth(2).getByText('Model call', { exact: true }).click();
  await steps.nth(2).getByRole('button', { name: 'Zoom to this step', exact: true }).click();
  const isZoomed = (): Promise<boolean> =>
    eventually('a wide bar', async () => Number(await bars.last().getAttribute('width')) > 500);
  await isZoomed();
  const out = page.getByRole('button', { name: 'Zoom out', exact: true });
  await page.waitForURL(/;steps=~\d+-\d+,\d+$/);
  const zoom = page.getByLabel('Part of the time that is seen', { exact: true });
  const zoomedTo = await zoom.getAttribute('aria-valuetext');
  await sendMessage(page, 'And then?');
  await untilAnswersAreWhole(page, 2);
  expect(await zoom.getAttribute('aria-valuetext')).toBe(zoomedTo);
  await page.reload();
  await isZoomed();
  expect(await zoom.getAttribute('aria-valuetext')).toBe(zoomedTo);
  await steps.nth(2).getByText('What it was sent', { exact: true }).waitFor();
  expect(await steps.locator('> details[open]').count()).toBe(1);
  while (await out.isEnabled()) await out.click();
  expect(await bars.count()).toBe(3);
  await steps.nth(2).getByText('Model call', { exact: true }).click();
  await page.waitForURL(/#did-turn-\w+$/);
});

it('the view of a turn begins with the turn, and shows what a killed worker has cost as in vain', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('Never said. ', 'never', 'x'), answer('What holds.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Say');
  await page.getByText('Never said.').waitFor();
  await stack.kill('worker');
  await untilAnswersAreWhole(page, 1);
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true }).getByRole('listitem');
  await steps.nth(1).waitFor();
  expect((await steps.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
    'Lost attempt',
    'Model call',
  ]);
  const bar = steps.first().locator('rect.lost');
  // Most of the turn's time had passed until the next worker was asked.
  expect(Number(await bar.getAttribute('width'))).toBeGreaterThan(300);
  expect(Number(await bar.getAttribute('x'))).toBeLessThan(200);
  const took = page.locator('.timeline dl div').filter({ hasText: 'Took' }).locator('dd');
  expect(await page.locator('.timeline .axis .fact').last().innerText()).toBe(await took.innerText());
});

it('the view of a turn has a page of its own to say that there is no such turn', async () => {
  const { page, stack } = world;
  await page.goto(`${stack.baseUrl}/?turn=turn-unknown`);
  await page.getByRole('alert').getByText('turn-unknown').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('heading', { name: 'No such turn', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Start a new conversation', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('alert').getByText('turn-unknown').waitFor();
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
});

it('an address with an invalid project leads to no other project, and says so with a link to one', async () => {
  const { page, stack } = world;
  for (const rest of ['', '&view=files', '&conversation=c']) {
    await page.goto(`${stack.baseUrl}/?project=a%20b${rest}`);
    await page.getByRole('heading', { name: 'No such project', exact: true }).waitFor();
    await page.getByRole('alert').getByText('“a b” is not the id of a project').waitFor();
    expect(new URL(page.url()).searchParams.get('project')).toBe('a b');
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
  }
  await page.getByRole('link', { name: 'Start a new conversation in default', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'No such project', exact: true }).waitFor();
});

it('a turn that its conversation does not have is missed above the newest messages, until one is asked', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Here.'), answer('There.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Where?');
  await untilAnswersAreWhole(page, 1);
  const missed = page.getByRole('alert');
  expect(await missed.count()).toBe(0);
  const conversationId = new URL(page.url()).searchParams.get('conversation');
  await page.goto(`${stack.baseUrl}/?conversation=${conversationId}&turn=turn-unknown`);
  await missed.getByText('Turn turn-unknown was not found here').waitFor();
  await untilAnswersAreWhole(page, 1);
  await sendMessage(page, 'And now?');
  await untilAnswersAreWhole(page, 2);
  expect(await missed.count()).toBe(0);
});

it('the view of a turn is found again by going back to a link that names only the turn', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Found.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Where?');
  await untilAnswersAreWhole(page, 1);
  const turnId = new URL(page.url()).searchParams.get('turn');
  await page.goto(`${stack.baseUrl}/?turn=${turnId}`);
  await untilAnswersAreWhole(page, 1);
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  await page.goBack();
  await untilAnswersAreWhole(page, 1);
  expect(await page.locator('.answer').innerText()).toContain('Found.');
});

it('the view of a turn shows what a model call was sent, in pages, and more of a message that is long', async () => {
  const { page, fake, stack } = world;
  const path = join(stack.dataDir, 'workspace', 'long.txt');
  writeFileSync(path, `${'<img src=x onerror=alert(1)> '.repeat(3)}\n`.repeat(300));
  const reads = Array.from({ length: 11 }, (_, i) =>
    answerWithCall('FileSystemTool_read_file', { path: 'long.txt', start_line: i + 1 }),
  );
  fake.script(...reads, answer('Read.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Read it');
  await untilAnswersAreWhole(page, 1);
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
  const last = steps.locator('> li').last();
  await last.getByText('Model call', { exact: true }).click();
  const failing = (route: Route): Promise<void> =>
    route.fulfill({ status: 503, json: { error: 'Not now.' } });
  await page.route('**/prompts/*', failing, { times: 1 });
  await last.getByText('What it was sent', { exact: true }).click();
  await last.getByRole('button', { name: 'Try again', exact: true }).click();
  const messages = last.getByRole('list', { name: /^Messages from / }).getByRole('listitem');
  await last.getByText(/^24 messages, about [\d,]+ tokens$/).waitFor();
  expect(await messages.count()).toBe(20);
  await last.getByRole('button', { name: 'More messages', exact: true }).click();
  await messages.nth(23).waitFor();
  expect(await messages.nth(1).innerText()).toMatch(/^Person[^]*Read it$/);
  expect(await messages.nth(2).innerText()).toMatch(/^Model[^]*FileSystemTool_read_file \{/);
  const result = messages.nth(23);
  const shown = (): Promise<string> => result.locator('pre').innerText();
  expect(await shown()).toHaveLength(2_000);
  await result.getByRole('button', { name: 'Show more of it', exact: true }).click();
  await eventually('a longer text', async () => (await shown()).length === 16_000);
  await result.getByText('Its first 16,000 characters.', { exact: true }).waitFor();
  expect(await shown()).toContain('<img src=x onerror=alert(1)>');
  await page.screenshot({ path: '.orion/screenshots/sent-prompt.png' });
});

it('the view of a turn is shown beside another turn, under an address of its own', async () => {
  const { page, fake, stack } = world;
  fake.script(
    answer('First.'),
    answerWithCall('FileSystemTool_list_files', { path: '.' }),
    answer('Second.'),
  );
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'One');
  await untilAnswersAreWhole(page, 1);
  await sendMessage(page, 'Two');
  await untilAnswersAreWhole(page, 2);
  await page.getByText('What it did', { exact: true }).last().click();
  await page.getByRole('button', { name: 'Compare …', exact: true }).click();
  const choice = page.getByLabel('Compare with', { exact: true });
  await choice.waitFor();
  await choice.selectOption({ index: 1 });
  const compared = page.getByRole('region', { name: 'Comparison', exact: true });
  const rowIs = (name: string, ...cells: string[]): Promise<boolean> =>
    eventually(`a row ${name} of ${cells.join(', ')}`, async () =>
      isDeepStrictEqual(await compared.getByRole('row', { name }).getByRole('cell').allInnerTexts(), cells),
    );
  const steps = compared.getByRole('list', { name: 'Steps of the other turn', exact: true });
  await steps.waitFor();
  await rowIs('Model calls', '2', '1', '− 1');
  await rowIs('Cost 0', '0.00072', '0.00036', '− 0.00036');
  await page.waitForURL(/#did-turn-\w+,turn-\w+$/);
  await page.screenshot({ path: '.orion/screenshots/compared.png' });
  await page.reload();
  await steps.waitFor();
  await rowIs('Tools', '1', '0', '− 1');
  await steps.getByText('Model call', { exact: true }).click();
  await page.waitForURL(/#did-turn-\w+,turn-\w+;other=\d+$/);
  await page.reload();
  await steps.getByText('What it was sent', { exact: true }).waitFor();
});

it('a turn is counted in the days of its project, in plots and in numbers', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Yes.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Well?');
  await untilAnswersAreWhole(page, 1);
  await page.getByRole('link', { name: 'Project by day', exact: true }).click();
  const days = page.getByRole('region', { name: 'Project by day', exact: true });
  await days.getByRole('figure').first().waitFor();
  await page.waitForURL(`${stack.baseUrl}/?view=days`);
  const span = page.getByLabel('Days that are shown', { exact: true });
  await span.selectOption('90');
  await page.waitForURL(`${stack.baseUrl}/?view=days&days=90`);
  await page.reload();
  expect(await span.inputValue()).toBe('90');
  await days.getByText('In numbers', { exact: true }).click();
  const rows = days.getByRole('row');
  await rows.nth(1).waitFor();
  const { days: told } = (await (
    await fetch(`${stack.baseUrl}/api/days?projectId=default&days=90`)
  ).json()) as DayList;
  expect(await rows.count()).toBe(1 + told.length);
  const [newest] = told.toReversed();
  expect(await rows.nth(1).innerText()).toContain(newest?.day);
  expect(await rows.nth(1).getByRole('cell').first().innerText()).toBe(String(newest?.turns));
  expect(newest?.cost).toBeGreaterThanOrEqual(360);
  await page.screenshot({ path: '.orion/screenshots/days.png' });
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
});
