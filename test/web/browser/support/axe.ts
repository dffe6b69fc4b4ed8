import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Resolves in the page to the serious and critical faults. They are filtered there, because the whole result describes
 * every element for every rule, and to send it to the test takes more processor time than the rules do. `resultTypes`
 * limits what axe describes of the rules that hold; it runs all of them.
 */
const RUN = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`;

/**
 * Resolves to the accessibility faults that axe calls serious or critical: the rule of each, and the HTML that breaks
 * it.
 */
export const seriousViolations = async (at: Page): Promise<unknown[]> => {
  // A page keeps axe until it is loaded again.
  if (await at.evaluate(`typeof axe === 'undefined'`)) await at.evaluate(AXE);
  return (await at.evaluate(RUN)) as unknown[];
};

/** The two sizes (px) in which states are examined. */
export const SIZES = [
  ['desktop', { width: 1_280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const;

/**
 * Resolves to what is wrong with a state of a page in the light and the dark scheme: grave faults, and a width other
 * than that of the viewport. Saves a screenshot of each for people to look at.
 */
export const faultsOfState = async (page: Page, state: string, size: string): Promise<unknown[]> => {
  const found: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const fault of await seriousViolations(page)) found.push([state, colorScheme, fault]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    if (width !== page.viewportSize()?.width) found.push([state, colorScheme, `is ${String(width)} wide`]);
    await page.screenshot({ path: `.orion/screenshots/${state}-${size}-${colorScheme}.png` });
  }
  return found;
};
