/**
 * Covers messages that cannot start because another turn runs: refused ones stay in sight, and all are shown below
 * that turn.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChatClient } from '../../support/chat-client.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, gatedAnswer } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

/** Resolves once these messages are shown on a page in this order. */
const untilMessagesAre = (at: Page, ...messages: string[]): Promise<boolean> =>
  eventually(`the messages ${messages.join(', ')}`, async () =>
    isDeepStrictEqual(await at.locator('.exchange .user-message').allInnerTexts(), messages),
  );
const conversationOf = (at: Page): string => new URL(at.url()).searchParams.get('conversation') ?? '';

/**
 * Opens the page without an answer to the request for the list of conversations, which would tell it at any moment of
 * the turns that others begin.
 */
const openWithoutList = async ({ stack, page }: PageInUse): Promise<void> => {
  await page.route(/\/api\/conversations\?/, () => undefined);
  await page.goto(stack.baseUrl);
};

/** Has somebody else ask in the conversation of a page. */
const askElsewhere = async ({ stack, page }: PageInUse, content: string): Promise<void> => {
  const place = { projectId: 'default', conversationId: conversationOf(page) };
  await new ChatClient(stack.baseUrl).start({ ...place, requestId: content, content });
};

it('while a turn of somebody else runs a message is refused below it, and sent again behind it', async () => {
  const { page, fake, open } = world;
  fake.script(answer('First.'), gatedAnswer('An answer ', 'go', 'of theirs.'), answer('Now mine.'));
  await openWithoutList(world);
  await sendMessage(page, 'One');
  await untilAnswersAreWhole(page, 1);
  await askElsewhere(world, 'Theirs');
  await sendMessage(page, 'Mine');
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true });
  await again.waitFor();
  await page.getByText('An answer').waitFor();
  await untilMessagesAre(page, 'One', 'Theirs', 'Mine');
  fake.release('go');
  await untilAnswersAreWhole(page, 2);
  // The reason stays, although the turn of somebody else has ended.
  const reason = page
    .getByRole('alert')
    .getByText('Not sent: another turn was running in this conversation.');
  expect(await reason.isVisible()).toBe(true);
  await again.click();
  await untilAnswersAreWhole(page, 3);
  await untilMessagesAre(page, 'One', 'Theirs', 'Mine');
  expect(await page.getByRole('group', { name: 'Versions', exact: true }).count()).toBe(0);
  const other = await open();
  await other.goto(page.url());
  await untilAnswersAreWhole(other, 3);
  await untilMessagesAre(other, 'One', 'Theirs', 'Mine');
  await other.close();
});

it('a refused message stays through a reload, until it is accepted or discarded', async () => {
  const { page, fake } = world;
  fake.script(answer('First.'), gatedAnswer('An answer ', 'end', 'of theirs.'), answer('Now mine.'));
  await openWithoutList(world);
  await sendMessage(page, 'One');
  await untilAnswersAreWhole(page, 1);
  await askElsewhere(world, 'Others');
  const asked = Promise.withResolvers<void>();
  // If the first message were refused before the second is asked, the second would go into the turn that runs.
  await page.route('**/api/turns', async (route) => {
    await asked.promise;
    await route.continue();
  });
  for (const message of ['Mine', 'No more']) {
    await sendMessage(page, message);
    await page.getByText(message, { exact: true }).waitFor();
  }
  asked.resolve();
  const refused = page.getByRole('alert');
  await refused.nth(1).waitFor();
  await page.reload();
  await refused.nth(1).waitFor();
  await page.getByText('An answer').waitFor();
  await untilMessagesAre(page, 'One', 'Others', 'Mine', 'No more');
  await refused.last().getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('No more', { exact: true }).waitFor({ state: 'detached' });
  fake.release('end');
  await untilAnswersAreWhole(page, 2);
  await refused.getByRole('button', { name: 'Try again', exact: true }).click();
  await untilAnswersAreWhole(page, 3);
  await page.reload();
  await untilAnswersAreWhole(page, 3);
  expect(await untilMessagesAre(page, 'One', 'Others', 'Mine')).toBe(true);
  await refused.waitFor({ state: 'detached' });
});

it('a message that was on its way when the page was loaded again is asked once', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Once.'));
  await page.goto(stack.baseUrl);
  const sent = Promise.withResolvers<void>();
  // The first request never ends, whether or not the gateway has received it.
  await page.route('**/api/turns', () => sent.resolve(), { times: 1 });
  await sendMessage(page, 'Only one');
  await sent.promise;
  await page.reload();
  await untilAnswersAreWhole(page, 1);
  await untilMessagesAre(page, 'Only one');
  await page.reload();
  await untilAnswersAreWhole(page, 1);
  expect(await untilMessagesAre(page, 'Only one')).toBe(true);
});

it('a message into a turn that had ended goes on from the turn that was started since', async () => {
  const { page, fake, open } = world;
  fake.script(gatedAnswer('First ', 'first', 'is over.'), answer('Second.'), answer('Third.'));
  await openWithoutList(world);
  await sendMessage(page, 'One');
  await page.getByText('First').waitFor();
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await page.route('**/messages', async (route) => {
    reached.resolve();
    await held.promise;
    await route.continue();
  });
  await sendMessage(page, 'Mine');
  await reached.promise;
  fake.release('first');
  await untilAnswersAreWhole(page, 1);
  await askElsewhere(world, 'Between');
  const other = await open();
  await other.goto(page.url());
  await untilAnswersAreWhole(other, 2);
  held.resolve();
  await page.getByText('Third.').waitFor();
  const messages = ['One', 'Between', 'Mine'];
  await untilMessagesAre(page, ...messages);
  await other.goto(page.url());
  await untilAnswersAreWhole(other, 3);
  expect(await untilMessagesAre(other, ...messages)).toBe(true);
  await other.close();
});

it('a message into an answer that does not get through can be sent again, or removed', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('The answer ', 'go', 'is over.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'One');
  await page.getByText('The answer').waitFor();
  await page.route('**/messages', (route) =>
    route.fulfill({ status: 429, json: { error: 'Not now.', code: 'rate_limited', requestId: 'r' } }),
  );
  await sendMessage(page, 'Lost');
  const lost = page.getByRole('alert');
  await lost.getByText('Not now.', { exact: true }).waitFor();
  const again = page.waitForRequest('**/messages');
  await lost.getByRole('button', { name: 'Try again', exact: true }).click();
  await again;
  fake.release('go');
  await untilAnswersAreWhole(page, 1);
  const end = await page.locator('.end').boundingBox();
  // The message is below all that belongs to the answer, which has ended without it.
  expect((await page.locator('.pending').boundingBox())?.y).toBeGreaterThan(end?.y ?? Infinity);
  await lost.getByRole('button', { name: 'Discard', exact: true }).click();
  expect(await untilMessagesAre(page, 'One')).toBe(true);
});
