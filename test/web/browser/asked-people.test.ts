/** Covers the requests of turns to people on the chat page, in a real Chromium: what is asked, and what was replied. */
import { expect, it } from '@jest/globals';
import { answer, answerWithCall } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage(
  (next) => {
    world = next;
  },
  { ORION_APPROVALS: 'writes', ORION_COMMANDS: 'ask' },
);

it('a request names the tool as cards do, with its command; the list shows subject and conversation', async () => {
  const { page, fake, stack } = world;
  fake.script(answerWithCall('TerminalTool_run_command', { command: 'echo one' }), answer('Done.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Say one');
  const card = page.getByRole('region', { name: 'Needs a reply', exact: true });
  await card.getByText('May run_command run “echo one”?', { exact: true }).waitFor();
  const waiting = page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
  await waiting.getByText('run_command echo one', { exact: true }).waitFor();
  await waiting.getByText('Say one', { exact: true }).waitFor();
  expect(await waiting.count()).toBe(1);
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await untilAnswersAreWhole(page, 1);
});

it('an answered question shows its answer, after a reload, too; a limit opens nothing', async () => {
  const { page, fake, stack } = world;
  fake.script(
    answerWithCall('UserTool_ask', { question: 'Which colour?', options: ['red', 'blue'] }),
    answer('So be it.'),
  );
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Paint');
  await page.getByRole('radio', { name: 'blue' }).check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  const card = page.getByRole('region', { name: 'Needs a reply', exact: true });
  await card.getByText('Answered: “blue”').waitFor();
  expect(await card.locator('details').count()).toBe(0);
  await untilAnswersAreWhole(page, 1);
  await page.reload();
  await card.getByText('Answered: “blue”').waitFor();
});

it('an edited call is shown as it has run', async () => {
  const { page, fake, stack } = world;
  fake.script(
    answerWithCall('FileSystemTool_write_to_file', { path: 'b.md', content: 'x' }),
    answer('Done.'),
  );
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Write it');
  const card = page.getByRole('region', { name: 'Needs a reply', exact: true });
  await card.getByText('May write_to_file run on b.md?', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Arguments as JSON', { exact: true }).fill('{"path":"c.md","content":"y"}');
  await page.getByRole('button', { name: 'Run with these', exact: true }).click();
  await card.getByText('May write_to_file run on c.md?', { exact: true }).waitFor();
  await card.getByText('Allowed with other arguments').click();
  await card.locator('figure').getByText('c.md').waitFor();
  expect(await card.innerText()).not.toContain('b.md');
  await untilAnswersAreWhole(page, 1);
});

it('a reply that came too late says so in its place', async () => {
  const { page, fake, stack, open } = world;
  fake.script(
    answerWithCall('FileSystemTool_write_to_file', { path: 'd.md', content: 'x' }),
    answer('Done.'),
  );
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Write it');
  await page.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  const other = await open();
  await other.goto(page.url());
  const held = Promise.withResolvers<void>();
  await page.route('**/inputs/1', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await other.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  held.resolve();
  await page
    .getByText('Your reply (Denied) did not count: another one came before it.', { exact: true })
    .waitFor();
  await untilAnswersAreWhole(other, 1);
  expect(await other.getByText('did not count').count()).toBe(0);
  await other.close();
});

it('a request of which only the beginning is shown cannot be allowed until the rest has come', async () => {
  const { page, fake, stack } = world;
  const content = `${`${'x'.repeat(99)}\n`.repeat(60)}the end\n`;
  fake.script(answerWithCall('FileSystemTool_write_to_file', { path: 'long.md', content }), answer('Done.'));
  const refusal = { error: 'It cannot be read.', code: 'internal_error', requestId: 'r' };
  let reads = 0;
  await page.route('**/inputs/1', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    reads += 1;
    // The first read finds no gateway, the second one fails.
    return reads === 1 ? route.abort() : route.fulfill({ status: 500, json: refusal });
  });
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Write it');
  const card = page.getByRole('region', { name: 'Needs a reply', exact: true });
  await card.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  const replies = card.locator('.replies').getByRole('button');
  expect(await replies.allInnerTexts()).toEqual(['Deny']);
  const alert = card.getByRole('alert');
  await alert.getByText('Only the beginning is shown. It cannot be read.', { exact: true }).waitFor();
  expect(reads).toBe(2);
  expect(await replies.allInnerTexts()).toEqual(['Deny']);

  await page.unroute('**/inputs/1');
  await alert.getByRole('button', { name: 'Try again', exact: true }).click();
  await card.getByRole('button', { name: 'Edit', exact: true }).click();
  expect(await page.getByLabel('Arguments as JSON', { exact: true }).inputValue()).toContain('the end');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  expect(await card.getByText('Only the beginning is shown', { exact: false }).count()).toBe(0);
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await untilAnswersAreWhole(page, 1);
});
