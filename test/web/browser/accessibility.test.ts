/**
 * Examines with axe the states of the page that no other test examines, in a real Chromium: in two widths, light and
 * dark.
 */
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChatClient } from '../../support/chat-client.ts';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { faultsOfState, SIZES } from './support/axe.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const written = (path: string) => answerWithCall('FileSystemTool_write_to_file', { path, content: 'x\n' });

/** Milliseconds after which the page repeats a request no longer. */
const REPEATS_END_MS = 31_000;

const untilARequestFails = async (page: Page, act: () => Promise<unknown>): Promise<void> => {
  const failed = page.waitForEvent('requestfailed');
  await act();
  await failed;
};

describe.each(SIZES)('%s, light and dark', (size, viewport) => {
  /**
   * Opens a page into which axe can be put; resolves to it, to a function that examines a state, and to the faults that
   * were found so far.
   */
  const openExaminedPage = async (): Promise<{
    page: Page;
    look: (state: string) => Promise<void>;
    found: unknown[];
  }> => {
    const page = await world.open({ viewport, bypassCSP: true });
    const found: unknown[] = [];
    const look = async (state: string): Promise<void> => {
      found.push(...(await faultsOfState(page, state, size)));
    };
    return { page, look, found };
  };

  it('changes, files, compared turns and the project by day have no serious fault', async () => {
    const { fake, stack } = world;
    const { page, look, found } = await openExaminedPage();
    fake.script(answer('First.'), written(`made/${size}.md`), answer('Second.'));
    await page.goto(stack.baseUrl);
    await sendMessage(page, 'One');
    await untilAnswersAreWhole(page, 1);
    await sendMessage(page, 'Two');
    await untilAnswersAreWhole(page, 2);
    await page.getByText('Changed a file', { exact: true }).click();
    await page
      .locator('.changes summary')
      .filter({ hasText: `${size}.md` })
      .click();
    await page.getByLabel(`Changes of made/${size}.md`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo …', exact: true }).click();
    await look('changes');
    await page.getByText('What it did', { exact: true }).last().click();
    const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
    await steps.getByText('Model call', { exact: true }).last().click();
    await steps.getByText('What it was sent', { exact: true }).last().click();
    await steps.getByText('Result of a tool', { exact: true }).waitFor();
    await look('sent');
    await page.getByRole('button', { name: 'Compare …', exact: true }).click();
    const choice = page.getByLabel('Compare with', { exact: true });
    await choice.waitFor();
    await choice.selectOption({ index: 1 });
    await page.getByRole('list', { name: 'Steps of the other turn', exact: true }).waitFor();
    await look('compared');
    await page.getByRole('link', { name: 'Among the other files', exact: true }).click();
    await page
      .locator('.leaf')
      .filter({ hasText: `${size}.md` })
      .getByText('changed', { exact: true })
      .waitFor();
    await look('files');
    await page.goto(`${stack.baseUrl}/?view=days`);
    await page.getByRole('figure').first().waitFor();
    await look('days');
    expect(found).toEqual([]);
    await page.close();
  });

  it('a growing file, the list of conversations, a limit and refusals have no serious fault', async () => {
    const { fake, stack } = world;
    const { page, look, found } = await openExaminedPage();
    fake.script(
      answerWithCall('WritePlanTool_begin', { target_file: `made/long-${size}.md`, operation: 'create' }),
      gatedAnswer('# Long\n\nThe first line\n', 'rest', 'The last line\nDONE\n'),
      answer('It is written.'),
      answerWithCall('FileSystemTool_list_files', { path: '.' }),
    );
    await page.goto(stack.baseUrl);
    await sendMessage(page, 'Write a long file');
    await page.getByText('being written', { exact: false }).waitFor();
    await page.locator('.growing').waitFor();
    const name = page.locator('.file .what');
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(false);
    await look('growing');
    fake.release('rest');
    await untilAnswersAreWhole(page, 1);
    await page.getByText('Compared with what was there', { exact: true }).click();
    await page.getByLabel(`Changes of made/long-${size}.md`, { exact: true }).waitFor();
    await page.getByText('Its text', { exact: true }).click();
    await look('written');
    if (size === 'phone') await page.getByRole('button', { name: 'Conversations' }).click();
    const list = page.getByRole('list', { name: 'Conversations', exact: true });
    await list.getByText('Write a long file', { exact: true }).first().waitFor();
    await list.getByRole('button', { name: 'Options of Write a long file', exact: true }).first().click();
    await look('options');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByLabel('Title', { exact: true }).fill(`Long ${size}`);
    await look('rename');
    const right = async (inRow: string): Promise<number> =>
      (await page.evaluate(`document.querySelector('${inRow}').getBoundingClientRect().right`)) as number;
    expect(await right('.row-options button')).toBeLessThanOrEqual(await right('.row-options'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await list.getByRole('button', { name: `Options of Long ${size}`, exact: true }).click();
    await page.getByRole('button', { name: 'Delete …', exact: true }).click();
    await look('delete');
    const conversationId = `limit-${size}`;
    const limited = { maxPhaseCycles: 1, inputs: ['limit'] };
    const message = { requestId: `turn-limit-${size}`, content: 'List', metadata: limited };
    await new ChatClient(stack.baseUrl).start({ projectId: 'default', conversationId, ...message });
    await page.goto(`${stack.baseUrl}/?conversation=${conversationId}`);
    await page.getByRole('button', { name: 'Keep going', exact: true }).waitFor();
    await look('limit');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped.', { exact: true }).waitFor();
    await page.goto(`${stack.baseUrl}/?view=files&turn=turn-unknown`);
    await page.getByRole('alert').waitFor();
    await look('no-such-turns-files');
    await page.goto(`${stack.baseUrl}/?turn=turn-unknown`);
    await page.getByRole('alert').waitFor();
    await look('no-such-turn');
    await page.clock.install();
    await page.goto(`${stack.baseUrl}/?conversation=unknown&turn=turn-unknown`);
    await page.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
    await look('unknown');
    await page.route('**/api/turns', (route) => route.abort());
    await untilARequestFails(page, () => sendMessage(page, 'Anybody there?'));
    await page.clock.fastForward(REPEATS_END_MS);
    await page.getByRole('button', { name: 'Discard', exact: true }).waitFor();
    await look('not-taken');
    await page.route('**/api/**', (route) => route.abort());
    await untilARequestFails(page, () => page.reload());
    await page.clock.fastForward(REPEATS_END_MS);
    await page.getByRole('button', { name: 'Try again', exact: true }).waitFor();
    await look('away');
    expect((await page.getByRole('alert').boundingBox())?.height).toBeLessThan(200);
    expect(found).toEqual([]);
    await page.close();
  });
});
