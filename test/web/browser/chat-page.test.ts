/**
 * The chat page in a real Chromium on the real system: what a person sees, types and gets, while processes die and
 * texts mean harm.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../../support/chromium.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, toolCall } from '../../support/fake-model/responses.ts';
import type { Response } from '../../support/fake-model/script.ts';
import { OrionStack } from '../../support/orion-stack.ts';

let fake: FakeModel;
let stack: OrionStack;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  fake = await startFakeModel();
  stack = await OrionStack.start({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
  });
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await fake?.close();
});

const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const opened = await browser.newPage(options);
  await opened.addInitScript(`
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      globalThis.violations.push(violatedDirective + ' ' + blockedURI));
  `);
  return opened;
};

beforeEach(async () => {
  page = await openPage();
});
afterEach(async () => {
  // Whatever a test shows, nothing of it was stopped by the content policy alone.
  const violations = await page.evaluate('globalThis.violations ?? []');
  await page.close();
  fake.clear();
  expect(violations).toEqual([]);
});

const ask = async (question: string, at = page): Promise<void> => {
  await at.getByLabel('Message').fill(question);
  await at.keyboard.press('Enter');
};
const answerText = async (at = page): Promise<string> => at.locator('.answer').last().innerText();
/** Resolves once the last turn has ended, with its answer as it is shown. */
const whole = async (at = page): Promise<string> => {
  await at.locator('.exchange').last().getByRole('button', { name: 'Copy answer' }).waitFor();
  return answerText(at);
};
const shows = (text: string | RegExp, at = page): Promise<void> => at.getByText(text).first().waitFor();

/** `before` is sent, then nothing until the gate `go` opens, then `after`. */
const interrupted = (before: string, after: string): Response => {
  const { steps = [] } = answer(after);
  return { steps: [{ text: before }, { gate: 'go' }, ...steps] };
};

describe('a conversation', () => {
  it('shows words, tools and the end, and a fresh load of its address shows the same', async () => {
    fake.script(
      toolCall('FileSystemTool_list_files', { path: '.' }),
      answer('# Done\n\n- **all** of `it`\n'),
    );
    await page.goto(stack.baseUrl);
    await ask('List the files');
    await whole();
    const card = page.locator('.call');
    expect(await card.innerText()).toMatch(/list_files\s+\.\s+done in \d+ ms/);
    expect(await page.locator('.answer li').innerHTML()).toBe('<strong>all</strong> of <code>it</code>');
    const [before, address] = [await page.locator('.exchange').innerHTML(), page.url()];
    expect(address).toMatch(/\?conversation=chat-\w+&turn=turn-\w+$/);
    await page.goto('about:blank');
    await page.goto(address);
    await whole();
    expect(await page.locator('.exchange').innerHTML()).toBe(before);
    expect(await page.locator('.sidebar a[aria-current] .title').textContent()).toBe('List the files');
    expect(await page.title()).toBe('List the files · Orion');
  });

  it('goes on after a reload in the middle, by the turn alone, too', async () => {
    fake.script(interrupted('One, two, ', 'three.'));
    await page.goto(stack.baseUrl);
    await ask('Count');
    await shows('One, two,');
    await page.reload();
    await shows('One, two,');
    await page.goto(`${stack.baseUrl}/?turn=${new URL(page.url()).searchParams.get('turn')}`);
    await shows('One, two,');
    fake.release('go');
    expect(await whole()).toMatch(/^One, two, three\./);
  });

  it('takes back what a killed worker had said, and outlives its gateway', async () => {
    fake.script(interrupted('Never said. ', 'x'), interrupted('What ', 'holds.'));
    await page.goto(stack.baseUrl);
    await ask('Say');
    await shows('Never said.');
    await stack.kill('worker');
    await shows('What');
    await stack.kill('gateway');
    await shows('Connection lost');
    fake.release('go');
    expect(await whole()).toMatch(/^What holds\./);
  });

  it('is stopped by its reader', async () => {
    fake.script(interrupted('On and ', 'on.'));
    await page.goto(stack.baseUrl);
    await ask('Talk');
    await shows('On and');
    await page.getByRole('button', { name: 'Stop' }).click();
    await shows('Stopped.');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  });

  it('shows a failure in the words of the gateway, and asks again', async () => {
    fake.script({ status: 401, body: { error: { message: 'no' } } }, answer('Now.'));
    await page.goto(stack.baseUrl);
    await ask('Well?');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await shows('Now.');
  });
});

describe('texts that mean harm', () => {
  const EVIL = [
    '<script>globalThis.ran = 1</script>',
    '<img src=x onerror="globalThis.ran = 1">',
    '<svg onload="globalThis.ran = 1"><animate onbegin="globalThis.ran = 1"></svg>',
    '[click](javascript:globalThis.ran=1)',
    '[click](data:text/html,<script>globalThis.ran=1</script>)',
    '![pixel](https://evil.example/pixel.png)',
    '<a href="javascript:globalThis.ran=1">x</a>',
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
    '<style>body { display: none }</style>',
    '<form action="https://evil.example"><input name=key></form>',
    '[x](<javascript:alert(1)> "onmouseover=ran=1")',
    '<math><mtext><table><mglyph><style><img src=x onerror=globalThis.ran=1>',
    '`<img src=x onerror=globalThis.ran=1>`',
  ];

  it('run nothing, load nothing and lead nowhere but to the web', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    fake.script(toolCall('FileSystemTool_read_file', { path: EVIL[1] }), answer(EVIL.join('\n\n')));
    await page.goto(stack.baseUrl);
    await ask(EVIL[0] ?? '');
    await whole();
    for (const link of await page.locator('.answer a[href]').all()) {
      expect(await link.getAttribute('href')).toMatch(/^https?:/);
      expect(await link.getAttribute('rel')).toContain('noopener');
    }
    expect(
      await page.locator('.answer :is(script, img, svg, iframe, style, form, input, math)').count(),
    ).toBe(0);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(asked.filter((url) => !url.startsWith(stack.baseUrl))).toEqual([]);
  });
});

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeRun {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describe.each([
  ['desktop', 'light', { width: 1_280, height: 800 }],
  ['phone', 'dark', { width: 390, height: 844 }],
] as const)('%s, %s', (size, colorScheme, viewport) => {
  it('has no serious fault of accessibility, and nothing sticks out', async () => {
    fake.script(
      toolCall('FileSystemTool_list_files', { path: '.' }),
      answer(
        '## What I found\n\nA paragraph with `code` and a [link](https://example.org).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```\n\n> quoted\n\n1. one\n2. two\n',
      ),
    );
    const shown = await openPage({ colorScheme, viewport, bypassCSP: true });
    await shown.goto(stack.baseUrl);
    await shown.getByRole('heading', { name: 'What shall be done?' }).waitFor();
    await ask('List the files, then read README.md', shown);
    await whole(shown);
    await shown.evaluate(AXE);
    const { violations } = (await shown.evaluate('axe.run()')) as AxeRun;
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await shown.screenshot({ path: `.orion/screenshots/${size}-${colorScheme}.png` });
    await shown.close();
  });
});

it('is no more than 180 kB, compressed', async () => {
  const sizes: number[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/'))
      sizes.push(Number(response.headers()['content-length']));
  });
  await page.goto(stack.baseUrl, { waitUntil: 'networkidle' });
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(180_000);
});
