/** Questions that another turn is in the way of: refused ones stay in sight, and all find their place behind it. */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { answer } from '../../support/fake-model/responses.ts';
import type { Response } from '../../support/fake-model/script.ts';
import { ask, type PageInUse, usePage, whole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const questionsOf = (at: Page): Promise<string[]> => at.locator('.exchange .question').allInnerTexts();
const conversationOf = (at: Page): string => new URL(at.url()).searchParams.get('conversation') ?? '';

/** Somebody else asks in the conversation of a page. */
const askElsewhere = async ({ stack, page }: PageInUse, content: string): Promise<void> => {
  const body = { projectId: 'default', conversationId: conversationOf(page), requestId: content, content };
  const headers = { 'Content-Type': 'application/json' };
  const answered = await fetch(`${stack.baseUrl}/api/turns`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(answered.status).toBe(202);
};

/** `before` is sent, then nothing until the gate opens, then `after`. */
const gated = (before: string, gate: string, after: string): Response => {
  const { steps = [] } = answer(after);
  return { steps: [{ text: before }, { gate }, ...steps] };
};

it('while a turn of somebody else runs a question is refused below it, and sent again behind it', async () => {
  const { page, fake, stack, open } = world;
  fake.script(answer('First.'), gated('An answer ', 'go', 'of theirs.'), answer('Now mine.'));
  await page.goto(stack.baseUrl);
  await ask(page, 'One');
  await whole(page, 1);
  await askElsewhere(world, 'Theirs');
  await ask(page, 'Mine');
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true });
  await again.waitFor();
  await page.getByText('An answer').waitFor();
  expect(await questionsOf(page)).toEqual(['One', 'Theirs', 'Mine']);
  fake.release('go');
  await whole(page, 2);
  await again.click();
  await whole(page, 3);
  expect(await questionsOf(page)).toEqual(['One', 'Theirs', 'Mine']);
  expect(await page.getByRole('group', { name: 'Versions', exact: true }).count()).toBe(0);
  const other = await open();
  await other.goto(page.url());
  await whole(other, 3);
  expect(await questionsOf(other)).toEqual(['One', 'Theirs', 'Mine']);
  await other.close();
});

it('a refused question stays through a reload, until it is taken or discarded', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('First.'), gated('An answer ', 'end', 'of theirs.'), answer('Now mine.'));
  await page.goto(stack.baseUrl);
  await ask(page, 'One');
  await whole(page, 1);
  await askElsewhere(world, 'Others');
  for (const question of ['Mine', 'No more']) {
    await ask(page, question);
    await page.getByText(question, { exact: true }).waitFor();
  }
  const refused = page.getByRole('alert');
  await refused.nth(1).waitFor();
  await page.reload();
  await refused.nth(1).waitFor();
  await page.getByText('An answer').waitFor();
  expect(await questionsOf(page)).toEqual(['One', 'Others', 'Mine', 'No more']);
  await refused.last().getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('No more', { exact: true }).waitFor({ state: 'detached' });
  fake.release('end');
  await whole(page, 2);
  await refused.getByRole('button', { name: 'Try again', exact: true }).click();
  await whole(page, 3);
  await page.reload();
  await whole(page, 3);
  expect(await questionsOf(page)).toEqual(['One', 'Others', 'Mine']);
  expect(await refused.count()).toBe(0);
});

it('a question that was on its way when the page was loaded again is asked once', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Once.'));
  await page.goto(stack.baseUrl);
  const sent = Promise.withResolvers<void>();
  // The first request never comes to an end, whether or not the gateway has it.
  await page.route('**/api/turns', () => sent.resolve(), { times: 1 });
  await ask(page, 'Only one');
  await sent.promise;
  await page.reload();
  await whole(page, 1);
  expect(await questionsOf(page)).toEqual(['Only one']);
  await page.reload();
  await whole(page, 1);
  expect(await questionsOf(page)).toEqual(['Only one']);
});

it('a message into a turn that had ended goes on from the turn that was asked for since', async () => {
  const { page, fake, stack, open } = world;
  fake.script(gated('First ', 'first', 'is over.'), answer('Second.'), answer('Third.'));
  await page.goto(stack.baseUrl);
  await ask(page, 'One');
  await page.getByText('First').waitFor();
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await page.route('**/messages', async (route) => {
    reached.resolve();
    await held.promise;
    await route.continue();
  });
  await ask(page, 'Mine');
  await reached.promise;
  fake.release('first');
  await whole(page, 1);
  await askElsewhere(world, 'Between');
  const other = await open();
  await other.goto(page.url());
  await whole(other, 2);
  held.resolve();
  await page.getByText('Third.').waitFor();
  const questions = ['One', 'Between', 'Mine'];
  await eventually('the question behind the one between', async () =>
    isDeepStrictEqual(await questionsOf(page), questions),
  );
  await other.goto(page.url());
  await whole(other, 3);
  expect(await questionsOf(other)).toEqual(questions);
  await other.close();
});
