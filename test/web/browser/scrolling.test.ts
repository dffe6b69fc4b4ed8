/**
 * Covers the scroll position of a long conversation on the chat page, in a real Chromium: what is in sight stays there,
 * or is scrolled to.
 */
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ChatClient } from '../../support/chat-client.ts';
import { eventually } from '../../support/eventually.ts';
import { answer } from '../../support/fake-model/responses.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const TURNS = 14;
const PARAGRAPHS = Array.from({ length: 12 }, (_, n) => `Paragraph ${n} of a long answer.`).join('\n\n');
const turnOf = (conversationId: string, n: number): string => `${conversationId}-turn-${n}`;

/** Makes a conversation whose answers are each higher than the window, and resolves to its address. */
const longConversation = async (conversationId: string): Promise<string> => {
  const { fake, stack } = world;
  fake.script(...Array.from({ length: TURNS }, (_, n) => answer(`${PARAGRAPHS}\n\nAnswer ${n} ends.`)));
  const chat = new ChatClient(stack.baseUrl);
  for (let n = 0; n < TURNS; n += 1) {
    const requestId = turnOf(conversationId, n);
    const turn = { projectId: 'default', conversationId, requestId, content: `Question ${n}` };
    await (await chat.post('/api/chat/messages', turn)).text();
  }
  return `${stack.baseUrl}/?conversation=${conversationId}`;
};

const isInSight = async (page: Page, part: Locator): Promise<boolean> => {
  const box = await part.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y < height;
};

const inSight = (page: Page, part: Locator): Promise<boolean> =>
  eventually('a part in sight', () => isInSight(page, part));

const scrollTo = (page: Page, top: number): Promise<unknown> =>
  page.evaluate(`document.querySelector('[role=log]').scrollTop = ${top}`);

it.each([
  ['desktop', { width: 1_000, height: 700 }],
  ['phone', { width: 390, height: 844 }],
])(
  'the page is as high as its window, also where a link opens what a turn did: %s',
  async (size, viewport) => {
    const address = await longConversation(`high-${size}`);
    const page = await world.open({ viewport });
    await page.goto(address);
    await page.getByText(`Answer ${TURNS - 1} ends.`).waitFor();
    const isWindow = async (): Promise<void> => {
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(viewport.height);
      expect(await page.evaluate('scrollY')).toBe(0);
    };
    await isWindow();
    await page.getByText('What it did', { exact: true }).last().click();
    const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
    await steps.waitFor();
    await page.reload();
    await steps.waitFor();
    await inSight(page, steps);
    await isWindow();
    expect(await isInSight(page, page.getByLabel('Message', { exact: true }))).toBe(true);
    await page.close();
  },
);

it('a reader who asks further up is led to the message and its answer', async () => {
  const { page, fake } = world;
  await page.goto(await longConversation('asked'));
  await page.getByText(`Answer ${TURNS - 1} ends.`).waitFor();
  await scrollTo(page, 300);
  await eventually(
    'the end out of sight',
    async () => !(await isInSight(page, page.locator('.exchange').last())),
  );
  fake.script(answer('It is seen.'));
  await sendMessage(page, 'Is it seen?');
  await inSight(page, page.getByText('Is it seen?', { exact: true }));
  await inSight(page, page.getByText('It is seen.', { exact: true }));
});

it('a link to a turn in the middle of a conversation leads to it, and the view stays when more is said', async () => {
  const { page, fake } = world;
  const address = await longConversation('linked');
  await page.goto(`${address}&turn=${turnOf('linked', TURNS - 6)}`);
  const message = page.getByText(`Question ${TURNS - 6}`, { exact: true });
  await inSight(page, message);
  fake.script(answer('From elsewhere.'));
  const body = { projectId: 'default', conversationId: 'linked', requestId: 'linked-more', content: 'More' };
  await (await new ChatClient(world.stack.baseUrl).post('/api/chat/messages', body)).text();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByText('From elsewhere.', { exact: true }).waitFor({ state: 'attached' });
  expect(await isInSight(page, message)).toBe(true);
  await untilAnswersAreWhole(page, 1);
});

it('the view does not move when earlier messages and answers appear above it', async () => {
  const { page } = world;
  await page.setViewportSize({ width: 1_000, height: 700 });
  await page.goto(await longConversation('earlier'));
  await page.getByText(`Answer ${TURNS - 1} ends.`).waitFor();
  await scrollTo(page, 0);
  const first = page.getByText(`Question ${TURNS - 10}`, { exact: true });
  await inSight(page, first);
  const { y: before = 0 } = (await first.boundingBox()) ?? {};
  await page.getByRole('button', { name: 'Earlier messages', exact: true }).click();
  await page.getByText(`Question ${TURNS - 12}`, { exact: true }).waitFor({ state: 'attached' });
  await eventually('the message where it was', async () => {
    const { y: after = 0 } = (await first.boundingBox()) ?? {};
    return Math.abs(after - before) < 60;
  });
});

it('the end stays in sight when a part of the answer becomes short before it becomes long', async () => {
  const { page } = world;
  await page.goto(await longConversation('short'));
  await page.getByText(`Answer ${TURNS - 1} ends.`).waitFor();
  await page.evaluate(`(async () => {
    const last = [...document.querySelectorAll('.exchange')].at(-1);
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const task = () => new Promise((resolve) => setTimeout(resolve));
    for (const [short, long] of [[10, 3_000], [20, 1_500]]) {
      await frame();
      last.style.cssText = 'overflow: hidden; height: ' + short + 'px';
      // The exchange is laid out short, and grows before the browser reports that it has scrolled because of that.
      await task();
      last.style.height = long + 'px';
      await frame();
      await frame();
    }
  })()`);
  // Answers further up may be read just then, and take more room.
  await eventually('the end in sight', async () => {
    const toEnd = await page.evaluate(`(() => {
      const scrolled = document.querySelector('[role=log]');
      return scrolled.scrollHeight - scrolled.scrollTop - scrolled.clientHeight;
    })()`);
    return Number(toEnd) < 2;
  });
});
