/** States of the page that other tests do not look at by axe, in a real Chromium: two widths, light and dark. */
import { describe, expect, it } from '@jest/globals';
import { answer, toolCall } from '../../support/fake-model/responses.ts';
import { graveFaults } from './support/axe.ts';
import { ask, type PageInUse, usePage, whole } from './support/use-page.ts';

let world: PageInUse;
usePage((next) => {
  world = next;
});

const written = (path: string) => toolCall('FileSystemTool_write_to_file', { path, content: 'x\n' });

describe.each([
  ['desktop', 'light', { width: 1_280, height: 800 }],
  ['phone', 'dark', { width: 390, height: 844 }],
] as const)('%s, %s', (size, colorScheme, viewport) => {
  it('changes, files, compared turns and the project by day have no serious fault', async () => {
    const { fake, stack, open } = world;
    // For axe, which is put into the page.
    const page = await open({ colorScheme, viewport, bypassCSP: true });
    const look = async (state: string): Promise<void> => {
      expect([state, await graveFaults(page)]).toEqual([state, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      await page.screenshot({ path: `.orion/screenshots/${state}-${size}-${colorScheme}.png` });
    };
    fake.script(answer('First.'), written(`made/${size}.md`), answer('Second.'));
    await page.goto(stack.baseUrl);
    await ask(page, 'One');
    await whole(page, 1);
    await ask(page, 'Two');
    await whole(page, 2);
    await page.getByText('Changed a file', { exact: true }).click();
    await page
      .locator('.changes summary')
      .filter({ hasText: `${size}.md` })
      .click();
    await page.getByLabel(`Changes of made/${size}.md`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo …', exact: true }).click();
    await look('changes');
    await page.getByText('What it did', { exact: true }).last().click();
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
    await page.close();
  });
});
