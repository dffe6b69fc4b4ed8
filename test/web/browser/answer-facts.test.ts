/**
 * Covers what is shown below an answer on the chat page, in a real Chromium: which model answered, and the tokens that
 * are known.
 */
import { afterAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, gatedAnswer, refusal, answerWithCall } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-models-'));
const models = join(folder, 'models.json');
writeFileSync(models, JSON.stringify({ fake: { fallback: 'spare' }, spare: { contextWindow: 100_000 } }));
let world: PageInUse;
usePage(
  (next) => {
    world = next;
  },
  { ORION_MODELS_FILE: models, ORION_MODELS: 'spare' },
);
afterAll(() => rmSync(folder, { recursive: true }));

it('the page shows the tokens that are known, even of an answer that was stopped', async () => {
  const { page, fake, stack } = world;
  fake.script(gatedAnswer('On and ', 'never', 'on.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Talk');
  await page.getByText('On and').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped.').waitFor();
  expect(await page.locator('.end .fact').innerText()).toMatch(/about 2 tokens written$/);
  await page.getByText('What it did', { exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
  await steps.getByText(/about 2 written · cost 0\.\d+/).waitFor();
  expect(await steps.innerText()).not.toContain('tokens read');
});

it('the page names the model of the next answer, and those that have answered', async () => {
  const { page, fake, stack } = world;
  const down = refusal(503, { message: 'down' });
  fake.script(answer('One.'), answer('Two.'), down, down, down, answer('Three.'));
  await page.goto(stack.baseUrl);
  const next = page.locator('.top .fact').last();
  await page.locator('.top').getByText('fake', { exact: true }).waitFor();
  await sendMessage(page, 'First');
  await untilAnswersAreWhole(page, 1);
  await page.getByLabel('Model').selectOption('spare');
  expect(await next.innerText()).toBe('spare');
  await sendMessage(page, 'Second');
  await untilAnswersAreWhole(page, 2);
  await page.getByLabel('Model').selectOption('fake');
  await sendMessage(page, 'Third');
  await untilAnswersAreWhole(page, 3);
  const facts = page.locator('.end .fact');
  for (const [at, words] of ['fake · 100', 'spare · 100', 'fake, then spare · 100'].entries()) {
    await facts.nth(at).getByText(`${words} tokens read, 20 written`, { exact: true }).waitFor();
  }
  await page.getByText('What it did', { exact: true }).last().click();
  const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
  await steps.getByText(/^spare · .*100 tokens read/).waitFor();
  await page.locator('.timeline dl').getByText('spare', { exact: true }).waitFor();
});

it('the page shows the result of a tool only on its card, in the standard protocol, too', async () => {
  const { page, fake, stack } = world;
  fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('Nothing there.'));
  await page.goto(stack.baseUrl);
  await page.getByLabel('Protocol').selectOption('standard');
  await sendMessage(page, 'List');
  await untilAnswersAreWhole(page, 1);
  const shown = page.locator('.answer');
  await shown.getByText('Nothing there.').waitFor();
  expect(await shown.innerText()).not.toContain('TOOL RESULT');
  await page.locator('.call summary').click();
  await page.locator('.call figure').getByText('Result', { exact: true }).waitFor();
});

it('the button that copies says so for two seconds after the last click', async () => {
  const { page, fake, stack } = world;
  fake.script(answer('Copy me.'));
  await page.clock.install();
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Say it');
  await untilAnswersAreWhole(page, 1);
  await page.clock.pauseAt(Date.now() + 600_000);
  const button = page.getByRole('button', { name: 'Copy answer', exact: true });
  const copy = async (): Promise<void> => {
    await button.click();
    // The browser writes in order, so the text of the button has been written when this one has.
    await page.evaluate('navigator.clipboard.writeText("").catch(() => undefined)');
  };
  await copy();
  expect(await button.innerText()).not.toBe('Copy');
  await page.clock.runFor(1_500);
  await copy();
  await page.clock.runFor(1_000);
  expect(await button.innerText()).not.toBe('Copy');
  await page.clock.runFor(1_000);
  expect(await button.innerText()).toBe('Copy');
});
