/** A question that the gateway has refused stays in sight, and goes on from what was in its way. */
import { expect, it } from '@jest/globals';
import { answer } from '../../support/fake-model/responses.ts';
import { ask, type PageInUse, usePage, whole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

it('while a turn of somebody else runs a question is refused below it, and sent again behind it', async () => {
  const { page, fake, stack, open } = world;
  const { steps = [] } = answer('of theirs.');
  fake.script(
    answer('First.'),
    { steps: [{ text: 'An answer ' }, { gate: 'go' }, ...steps] },
    answer('Now mine.'),
  );
  await page.goto(stack.baseUrl);
  await ask(page, 'One');
  await whole(page, 1);
  const conversationId = new URL(page.url()).searchParams.get('conversation');
  const body = { projectId: 'default', conversationId, requestId: 'theirs', content: 'Theirs' };
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${stack.baseUrl}/api/turns`, { method: 'POST', headers, body: JSON.stringify(body) });
  await ask(page, 'Mine');
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true });
  await again.waitFor();
  await page.getByText('An answer').waitFor();
  const questions = (at = page): Promise<string[]> => at.locator('.exchange .question').allInnerTexts();
  expect(await questions()).toEqual(['One', 'Theirs', 'Mine']);
  fake.release('go');
  await whole(page, 2);
  await again.click();
  await whole(page, 3);
  expect(await questions()).toEqual(['One', 'Theirs', 'Mine']);
  expect(await page.getByRole('group', { name: 'Versions', exact: true }).count()).toBe(0);
  const other = await open();
  await other.goto(page.url());
  await whole(other, 3);
  expect(await questions(other)).toEqual(['One', 'Theirs', 'Mine']);
  await other.close();
});
