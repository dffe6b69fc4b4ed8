/**
 * Checks that text which was typed on the chat page and has not been accepted stays in its place, even through a
 * reload.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { answer, gatedAnswer } from '../../support/fake-model/responses.ts';
import {
  sendMessage,
  type PageInUse,
  untilMessageIsAccepted,
  usePage,
  untilAnswersAreWhole,
} from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const line = (page: Page) => page.getByLabel('Message', { exact: true });
/** Resolves once the prompt line contains this text. */
const untilLineIs = (page: Page, text: string): Promise<boolean> =>
  eventually(`${JSON.stringify(text)} on the line`, async () => (await line(page).inputValue()) === text);

it('a message that was handed back stays on the line through a reload, in front of what was typed', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('An answer ', 'never', 'to its end.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Begin');
  await page.getByText('An answer').waitFor();
  await untilMessageIsAccepted(page, () => sendMessage(page, 'Too late'));
  await untilMessageIsAccepted(page, () => page.reload());
  await line(page).fill('half typed');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await untilLineIs(page, 'Too late\nhalf typed');
  await page.reload();
  await untilAnswersAreWhole(page, 1);
  expect(await line(page).inputValue()).toBe('Too late\nhalf typed');
});

it('a message into an answer that could not be sent stays through a reload, until it is sent', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('First. ', 'go', 'Still first.'), answer('Second.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Begin');
  await page.getByText('First.').waitFor();
  await page.route('**/messages', (route) =>
    route.fulfill({ status: 429, json: { error: 'Not now.', code: 'rate_limited', requestId: 'r' } }),
  );
  await sendMessage(page, 'And more');
  const refused = page.getByRole('alert');
  await refused.getByText('Not now.', { exact: true }).waitFor();
  await page.reload();
  await refused.getByText('Not now.', { exact: true }).waitFor();
  await page.unroute('**/messages');
  await untilMessageIsAccepted(page, () =>
    refused.getByRole('button', { name: 'Try again', exact: true }).click(),
  );
  fake.release('go');
  await page.getByText('Second.').waitFor();
  await eventually('it once', async () =>
    isDeepStrictEqual(await page.locator('.user-message').allInnerTexts(), ['Begin', 'And more']),
  );
});

it('a refused message is taken back onto the line, in front of what was typed', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('As you wished.'));
  await page.goto(stack.baseUrl);
  await page.route('**/api/turns', (route) =>
    route.fulfill({ status: 429, json: { error: 'Not now.', code: 'rate_limited', requestId: 'r' } }),
  );
  await sendMessage(page, 'A quesion');
  const refused = page.getByRole('alert');
  await line(page).fill('half typed');
  await refused.getByRole('button', { name: 'Edit', exact: true }).click();
  await untilLineIs(page, 'A quesion\nhalf typed');
  await page.locator('.exchange').waitFor({ state: 'detached' });
  await page.unroute('**/api/turns');
  await sendMessage(page, 'A question');
  await untilAnswersAreWhole(page, 1);
  expect(await page.locator('.user-message').allInnerTexts()).toEqual(['A question']);
});

it('what was chosen for the messages of a conversation stays with it, and with no other', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Planned.'), answer('Planned again.'));
  await page.goto(stack.baseUrl);
  const mode = page.getByLabel('Mode');
  const protocol = page.getByLabel('Protocol');
  await mode.selectOption('plan');
  await protocol.selectOption('standard');
  await sendMessage(page, 'Plan it');
  await untilAnswersAreWhole(page, 1);
  await page.reload();
  await untilAnswersAreWhole(page, 1);
  expect([await mode.inputValue(), await protocol.inputValue()]).toEqual(['plan', 'standard']);
  await page.getByRole('link', { name: 'New conversation', exact: true }).click();
  await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  expect([await mode.inputValue(), await protocol.inputValue()]).toEqual(['act', 'two_stage']);
  await page.goBack();
  await untilAnswersAreWhole(page, 1);
  expect([await mode.inputValue(), await protocol.inputValue()]).toEqual(['plan', 'standard']);
  const asked = page.waitForRequest('**/api/turns');
  await sendMessage(page, 'And more');
  expect((await asked).postDataJSON()).toMatchObject({ mode: 'plan', metadata: { protocol: 'standard' } });
  await untilAnswersAreWhole(page, 2);
});

it('an example is asked with the chosen settings', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Planned.'));
  await page.goto(stack.baseUrl);
  await page.getByLabel('Mode').selectOption('plan');
  const asked = page.waitForRequest('**/api/turns');
  await page.getByRole('button', { name: 'Write a 300-line file docs/a.md', exact: true }).click();
  expect((await asked).postDataJSON()).toMatchObject({ mode: 'plan' });
  await untilAnswersAreWhole(page, 1);
});

it('text typed in a new conversation is found again on return to it, until it is sent', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('First.'), answer('Second.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'An older one');
  await untilAnswersAreWhole(page, 1);
  const fresh = page.getByRole('link', { name: 'New conversation', exact: true });
  const welcome = page.getByRole('heading', { name: 'What shall be done?', exact: true });
  await fresh.click();
  await welcome.waitFor();
  await line(page).fill('half typed');
  await page.getByRole('link', { name: 'An older one', exact: true }).first().click();
  await untilAnswersAreWhole(page, 1);
  await untilLineIs(page, '');
  await fresh.click();
  await welcome.waitFor();
  await untilLineIs(page, 'half typed');
  await line(page).press('Enter');
  await untilAnswersAreWhole(page, 1);
  await fresh.click();
  await welcome.waitFor();
  expect(await line(page).inputValue()).toBe('');
});
