import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeRun {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Faults of accessibility that axe calls serious or critical: the rule of each, and the HTML that breaks it. */
export const graveFaults = async (at: Page): Promise<unknown[]> => {
  await at.evaluate(AXE);
  const { violations } = (await at.evaluate('axe.run()')) as AxeRun;
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
};
