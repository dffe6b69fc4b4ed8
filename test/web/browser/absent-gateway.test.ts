/**
 * Covers requests of the page to a gateway that is away for a moment: they are repeated for half a minute, and then the
 * page says that they failed.
 */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

/**
 * Keeps requests to this path from the gateway. Resolves to functions that wait for the next try, and that end the cut.
 */
const cutOff = async (page: Page, path: string) => {
  await page.route(path, (route) => route.abort());
  return {
    tried: () => page.waitForEvent('requestfailed', (request) => request.method() === 'POST'),
    end: () => page.unroute(path),
  };
};

it('a message is sent once the gateway is back', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Here I am.'));
  await page.goto(stack.baseUrl);
  const cut = await cutOff(page, '**/api/turns');
  const tried = cut.tried();
  await sendMessage(page, 'Are you there?');
  await tried;
  await page.getByText('Sending', { exact: true }).waitFor();
  await cut.end();
  await untilAnswersAreWhole(page, 1);
  expect(await page.locator('.user-message').allInnerTexts()).toEqual(['Are you there?']);
});

it('a message that finds no gateway for half a minute says so, and can be sent again', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Here I am.'));
  await page.clock.install();
  await page.goto(stack.baseUrl);
  const cut = await cutOff(page, '**/api/turns');
  const tried = cut.tried();
  await sendMessage(page, 'Are you there?');
  await tried;
  await page.clock.fastForward(31_000);
  const refused = page.getByRole('alert');
  await refused.getByText('The gateway does not answer.', { exact: true }).waitFor();
  await cut.end();
  await refused.getByRole('button', { name: 'Try again', exact: true }).click();
  await untilAnswersAreWhole(page, 1);
  expect(await refused.count()).toBe(0);
});

it('a turn is stopped once the gateway is back, and the page says when it stays away', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('An answer ', 'never', 'to its end.'), gatedAnswer('Another ', 'never', 'one.'));
  await page.clock.install();
  await page.goto(stack.baseUrl);
  const cut = await cutOff(page, '**/cancel');
  await sendMessage(page, 'Begin');
  await page.getByText('An answer').waitFor();
  const tried = cut.tried();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await tried;
  await page.getByRole('button', { name: 'Stopping …', exact: true }).waitFor();
  await page.clock.fastForward(31_000);
  const failed = page.getByRole('alert');
  await failed.getByText('Not stopped: The gateway does not answer.', { exact: true }).waitFor();
  const triedAgain = cut.tried();
  await failed.getByRole('button', { name: 'Try again', exact: true }).click();
  await triedAgain;
  await cut.end();
  await untilAnswersAreWhole(page, 1);
  await page.getByText('Stopped.').waitFor();
  expect(await failed.count()).toBe(0);
});

it('the result of a call that could not be read is shown once it is read again', async () => {
  const { page, fake, stack } = world;
  fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('Nothing there.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'List');
  await untilAnswersAreWhole(page, 1);
  const cut = await cutOff(page, '**/api/trace/logs*');
  await page.locator('.call summary').click();
  const failed = page.getByRole('alert');
  await failed.getByText('The gateway does not answer.', { exact: true }).waitFor();
  await cut.end();
  await failed.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.locator('.call figure').getByText('Result', { exact: true }).waitFor();
  expect(await failed.count()).toBe(0);
});
