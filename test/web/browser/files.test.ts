/**
 * Covers the files of a project on the chat page in a real Chromium: what a turn has changed, malicious names, the
 * keyboard.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { seriousViolations } from './support/axe.ts';
import { sendMessage, type PageInUse, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const workspacePath = (...path: string[]): string => join(world.stack.dataDir, 'workspace', ...path);
const filesOn = (page: Page): Locator => page.getByRole('region', { name: 'Files', exact: true });
const write = (path: string, content: string) =>
  answerWithCall('FileSystemTool_write_to_file', { path, content });

it('an answer leads to the files of the project, with the folders open in which its turn changed something', async () => {
  const { page, fake, stack } = world;
  fake.script(write('made/by/turn.md', 'x'), write('made/gone.md', 'y'), answer('Written.'));
  await page.goto(stack.baseUrl);
  await sendMessage(page, 'Write');
  await untilAnswersAreWhole(page, 1);
  await rm(workspacePath('made/gone.md'));
  await page.getByText('Changed 2 files', { exact: true }).click();
  await page.getByRole('link', { name: 'Among the other files', exact: true }).click();
  const files = filesOn(page);
  const leaf = (name: string): Locator => files.locator('.leaf').filter({ hasText: name });
  await leaf('turn.md').getByText('changed', { exact: true }).waitFor();
  await leaf('made/gone.md').getByText('changed, not listed', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toMatch(/^\?view=files&turn=turn-\w+$/);
  expect(await files.locator('details[open] > summary').allInnerTexts()).toEqual([
    expect.stringMatching(/made\/ 2 changed$/),
    expect.stringMatching(/by\/ 1 changed$/),
  ]);
  expect(await leaf('README.md').locator('.mark').count()).toBe(0);
  await page.screenshot({ path: '.orion/screenshots/files.png' });
  await page.reload();
  await leaf('turn.md').waitFor();
  await files.getByRole('link', { name: 'A turn', exact: true }).click();
  await page.getByText('Changed 2 files', { exact: true }).waitFor();
});

it('the files view says that there is no such turn, and that a folder is gone', async () => {
  const { page, stack } = world;
  await mkdir(workspacePath('short-lived'));
  await page.goto(`${stack.baseUrl}/?view=files&turn=turn-unknown`);
  const files = filesOn(page);
  await files.getByRole('alert').waitFor();
  await files.getByText('short-lived/', { exact: true }).waitFor();
  await rm(workspacePath('short-lived'), { recursive: true });
  await files.getByText('short-lived/', { exact: true }).click();
  await files.getByText('not found: short-lived', { exact: true }).waitFor();
  expect(await files.getByRole('alert').count()).toBe(2);
});

it('names of files run nothing, and files are opened with the keyboard only, on a dark phone, too', async () => {
  const { stack, open } = world;
  const evil = [
    '<img src=x onerror=globalThis.ran=1>',
    '"><script>globalThis.ran=1<',
    'a\nb',
    '\u202egpj.exe',
  ];
  await mkdir(workspacePath('<b>harm<', 'empty'), { recursive: true });
  for (const name of evil) await writeFile(workspacePath('<b>harm<', name), 'x');
  await writeFile(workspacePath('<b>harm<', 'x'.repeat(200)), 'x');
  const phone = await open({
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
    // The policy is bypassed for axe, which is put into the page.
    bypassCSP: true,
  });
  await phone.goto(`${stack.baseUrl}/?view=files`);
  const files = filesOn(phone);
  await files.locator('summary').filter({ hasText: '<b>harm<' }).focus();
  await phone.keyboard.press('Enter');
  await files.locator('summary').filter({ hasText: 'empty/' }).waitFor();
  await phone.keyboard.press('Tab');
  await phone.keyboard.press('Space');
  await files.getByText('Nothing is in it.', { exact: true }).waitFor();
  const names = await files.locator('.leaf bdi').allTextContents();
  // Characters that would turn around or hide the rest of a name are shown as escapes.
  expect(names).toEqual(expect.arrayContaining([evil[0], evil[1], 'a\\u000ab', '\\u202egpj.exe']));
  expect(await files.locator(':is(script, img, b)').count()).toBe(0);
  expect(await phone.evaluate('globalThis.ran')).toBeUndefined();
  expect(await seriousViolations(phone)).toEqual([]);
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await phone.screenshot({ path: '.orion/screenshots/files-phone-dark.png' });
  await phone.close();
});

it('a file that a session writes is shown as it grows, compared with the old one, and restored by itself', async () => {
  const { fake, stack, open } = world;
  await writeFile(workspacePath('story.md'), 'Old line\nhalf\nlast\n');
  const line = 'Née <img src=x onerror=globalThis.ran=1>';
  fake.script(
    answerWithCall('WritePlanTool_begin', { target_file: 'story.md', operation: 'overwrite' }),
    gatedAnswer(`${line}\nhal`, 'rest', 'f\nlast\nDONE\n'),
    gatedAnswer('It is ', 'end', 'written.'),
  );
  const phone = await open({
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
    // The policy is bypassed for axe, which is put into the page.
    bypassCSP: true,
  });
  await phone.goto(stack.baseUrl);
  await sendMessage(phone, 'Write a story');
  const card = phone.getByRole('region', { name: 'File story.md', exact: true });
  const facts = card.locator('.line .fact');
  await facts.getByText('being written, 2 lines, 45 B so far, in place of 19 B', { exact: true }).waitFor();
  expect(await card.locator('.growing').innerText()).toBe(`${line}\nhal`);
  // At this moment the file is not yet in place, and nobody is asked.
  const diff = phone.getByLabel('Changes of story.md', { exact: true });
  await card.getByText('Compared with what is there', { exact: true }).click();
  await diff.waitFor();
  expect(await diff.textContent()).toMatch(/-Old line\n\+Née <img src=x onerror=globalThis.ran=1>\n$/);
  await card
    .getByText('It has not come to the last 2 lines of what is there yet.', { exact: true })
    .waitFor();
  expect(await seriousViolations(phone)).toEqual([]);
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await phone.screenshot({ path: '.orion/screenshots/growing-phone-dark.png' });
  fake.release('rest');
  await facts.getByText(/^written, 3 lines, \d+ B$/).waitFor();
  // The turn still runs at this moment.
  await card.getByText('Compared with what was there', { exact: true }).click();
  await diff.waitFor();
  expect(await diff.textContent()).toMatch(
    /-Old line\n\+Née <img src=x onerror=globalThis.ran=1>\n half\n last/,
  );
  await phone.getByText('It is').waitFor();
  expect(await card.getByRole('button', { name: 'Undo this file …', exact: true }).count()).toBe(0);
  await card.getByText('Compared with what was there', { exact: true }).click();
  await diff.waitFor({ state: 'detached' });
  fake.release('end');
  await untilAnswersAreWhole(phone, 1);
  await phone.getByText('Changed a file', { exact: true }).click();
  const changed = phone.locator('.changes summary').filter({ hasText: 'story.md' });
  await changed.click();
  await diff.waitFor();
  expect(await phone.evaluate('globalThis.ran')).toBeUndefined();
  await card.getByRole('button', { name: 'Undo this file …', exact: true }).click();
  expect(await seriousViolations(phone)).toEqual([]);
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await phone.screenshot({ path: '.orion/screenshots/changes-phone-dark.png', fullPage: true });
  await card.getByRole('button', { name: 'Undo', exact: true }).click();
  await card.getByText('story.md is again as it was before the write session.', { exact: true }).waitFor();
  expect(await readFile(workspacePath('story.md'), 'utf8')).toBe('Old line\nhalf\nlast\n');
  await changed.click();
  await diff.waitFor({ state: 'detached' });
  await changed.click();
  await phone.getByText('What the turn changed was taken back.', { exact: true }).waitFor();
  await phone.close();
});
