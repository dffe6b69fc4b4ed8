/** Covers the line on which a message is written, and the buttons beside it. */
import { expect, it } from '@jest/globals';
import { answer, gatedAnswer } from '../../support/fake-model/responses.ts';
import { faultsOfState } from './support/axe.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

it.each([320, 360, 390])('during an answer all buttons fit on a screen of %d pixels', async (width) => {
  const { fake, stack, open } = world;
  fake.script(gatedAnswer('An answer ', 'go', 'to its end.'));
  const page = await open({ viewport: { width, height: 700 }, bypassCSP: true });
  await page.goto(stack.baseUrl);
  const mode = page.getByLabel('Mode');
  await mode.waitFor();
  await sendMessage(page, 'Begin');
  await page.getByText('An answer').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('And more');
  const line = await page.getByLabel('Message', { exact: true }).boundingBox();
  for (const name of ['Interrupt', 'Stop', 'Send']) {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(line?.x ?? Infinity);
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual((line?.x ?? 0) + (line?.width ?? 0));
  }
  // A message into an answer keeps the protocol of its turn, so there is no choice.
  expect(await mode.count()).toBe(0);
  expect(await faultsOfState(page, 'steer', String(width))).toEqual([]);
  fake.release('go');
  await untilAnswersAreWhole(page, 1);
  await mode.waitFor();
  await page.close();
});

it('a message that is too long says so on the line, and is sent once it is shorter', async () => {
  const { fake, stack, open } = world;
  fake.script(answer('Read.'));
  const page = await open({ bypassCSP: true });
  await page.goto(stack.baseUrl);
  const asked: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()));
  const words = 'word '.repeat(60_000);
  await sendMessage(page, words);
  await page.getByText('Too long by 37.0 KiB: a message may have 256 KiB.', { exact: true }).waitFor();
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe(words);
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  expect(asked).toEqual([]);
  expect(await faultsOfState(page, 'too-long', 'desktop')).toEqual([]);
  await sendMessage(page, words.slice(0, 200_000));
  await untilAnswersAreWhole(page, 1);
  await page.close();
});

/** An expression for the milliseconds until one more letter is drawn. */
const TYPED = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn();
  const began = performance.now();
  document.execCommand('insertText', false, 'x');
  await drawn();
  return performance.now() - began;
})()`;

it('typing in a long text without blanks is fast, which it is not with kerning', async () => {
  const { page, stack } = world;
  await page.goto(stack.baseUrl);
  const line = page.getByLabel('Message', { exact: true });
  await line.focus();
  await page.keyboard.insertText('A'.repeat(20_000));
  const typed = (await page.evaluate(TYPED)) as number;
  await page.evaluate(`document.getElementById('message').style.fontKerning = 'auto'`);
  const kerned = (await page.evaluate(TYPED)) as number;
  expect(typed * 4).toBeLessThan(kerned);
});
