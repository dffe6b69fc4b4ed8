/** Covers the list of conversations beside the chat page, in a real Chromium. */
import { isDeepStrictEqual } from 'node:util';
import { it, expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { answer } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

/** Sends a message in a new conversation, whose title then is the message. */
const askAnew = async (page: Page, text: string): Promise<void> => {
  await page.goto(world.stack.baseUrl);
  await sendMessage(page, text);
  await untilAnswersAreWhole(page, 1);
};

it('the list of conversations is searched, and the search stays; one is renamed, then removed with its words', async () => {
  const { page, fake } = world;
  fake.script(answer('Yes.'), answer('No.'));
  await askAnew(page, 'One of the others');
  await askAnew(page, 'Quite unlike the others');
  const list = page.getByRole('list', { name: 'Conversations', exact: true });
  const search = page.getByLabel('Search conversations', { exact: true });
  const isNobodyFound = (): Promise<void> => page.getByText('No conversation with this name.').waitFor();
  await search.fill('UNLIKE the');
  await eventually('one conversation', async () => (await list.getByRole('listitem').count()) === 1);
  await list.getByRole('button', { name: 'Options of' }).click();
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByLabel('Title', { exact: true }).fill('Release plan');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Release plan' }).waitFor();
  await isNobodyFound();
  await search.fill('release');
  await list.getByRole('link', { name: 'Release plan' }).waitFor();
  await list.getByRole('button', { name: 'Options of Release plan', exact: true }).click();
  await page.getByRole('button', { name: 'Delete …', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  await isNobodyFound();
  await search.fill('');
  await list.getByRole('link', { name: 'One of the others' }).waitFor();
  await list.getByRole('link', { name: 'Release plan' }).waitFor({ state: 'detached' });
});

it('the list keeps its search through a reload and in another conversation', async () => {
  const { page, fake } = world;
  fake.script(answer('One.'), answer('Two.'));
  await askAnew(page, 'Needle here');
  await askAnew(page, 'Hay there');
  const links = page.locator('.sidebar .conversation .title');
  await links.filter({ hasText: 'Hay there' }).first().waitFor();
  await page.getByLabel('Search conversations', { exact: true }).fill('needle');
  const isFound = (): Promise<boolean> =>
    eventually('what was found', async () => isDeepStrictEqual(await links.allInnerTexts(), ['Needle here']));
  await isFound();
  // The address may not contain the search yet.
  await links.first().click();
  await page.waitForURL(/&search=needle/);
  await page.locator('.answer').getByText('One.').waitFor();
  await page.goBack();
  await page.locator('.answer').getByText('Two.').waitFor();
  await page.goForward();
  await page.reload();
  await isFound();
  await page.locator('.answer').getByText('One.').waitFor();
  await isFound();
  expect(page.url()).toMatch(/&search=needle$/);
  await page.getByLabel('Search conversations', { exact: true }).fill('');
  await links.filter({ hasText: 'Hay there' }).first().waitFor();
  await page.waitForURL((url) => !url.href.includes('search'));
});

it('a new search does not show what an earlier one has found', async () => {
  const { page, fake } = world;
  fake.script(answer('One.'), answer('Two.'));
  await askAnew(page, 'Needle here');
  await askAnew(page, 'Hay there');
  const links = page.locator('.sidebar .conversation .title');
  const search = page.getByLabel('Search conversations', { exact: true });
  const hay = links.filter({ hasText: 'Hay there' }).first();
  await hay.waitFor();
  await search.fill('needle');
  await hay.waitFor({ state: 'detached' });
  await search.fill('');
  await hay.waitFor();
  const asked = Promise.withResolvers<void>();
  // The gateway never answers this search.
  await page.route(/search=hay/, () => asked.resolve());
  await search.fill('hay');
  await asked.promise;
  expect(await hay.isVisible()).toBe(true);
});

it('a list that was asked for earlier does not replace a newer one', async () => {
  const { page, fake } = world;
  fake.script(answer('One.'));
  await askAnew(page, 'The only one here');
  const link = page.locator('.sidebar .conversation .title').filter({ hasText: 'The only one here' }).first();
  await link.waitFor();
  const older = Promise.withResolvers<Route>();
  const isList = /\/api\/conversations\?/;
  await page.route(isList, (route) => older.resolve(route), { times: 1 });
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  const route = await older.promise;
  const newer = page.waitForResponse(isList);
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  await (await newer).finished();
  const answered = page.waitForResponse(isList);
  await route.fulfill({ json: { conversations: [], more: false } });
  await (await answered).finished();
  // The page has taken the answer once it has drawn twice.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  expect(await link.isVisible()).toBe(true);
});

it('a conversation is renamed in a row that fits the whole form, on a phone, too', async () => {
  const { fake, stack, open } = world;
  fake.script(answer('Yes.'));
  for (const viewport of [
    { width: 1_280, height: 800 },
    { width: 360, height: 740 },
  ]) {
    const page = await open({ viewport });
    await page.goto(stack.baseUrl);
    if (viewport.width < 400) {
      await page.getByRole('button', { name: 'Conversations' }).click();
    } else {
      await sendMessage(page, 'A question of some length to be renamed');
      await untilAnswersAreWhole(page, 1);
    }
    const row = page.locator('.sidebar .conversation').first();
    await row.hover();
    await row.getByRole('button', { name: 'Options of' }).click();
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    const save = await page.getByRole('button', { name: 'Save', exact: true }).boundingBox();
    const around = await row.boundingBox();
    expect((save?.x ?? 0) + (save?.width ?? 0)).toBeLessThanOrEqual((around?.x ?? 0) + (around?.width ?? 0));
    await page.close();
  }
});
