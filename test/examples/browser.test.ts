/**
 * Tests examples/browser in a real Chromium, with the commands of its README: a turn, turns whose processes die, a
 * refusal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, gatedAnswer, answerWithCall } from '../support/fake-model/responses.ts';
import { drawFreePort } from '../support/free-port.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { startChromium } from '../support/chromium.ts';
import { commandsUnder, settingsIn } from './support/example-commands.ts';

/** The port that the README shows; another one may be in use here. */
const SHOWN_PORT = '8000';
const [start, serve] = commandsUnder('A page in the browser').map(({ script }) => script);

/** The milliseconds that anything may take to appear on a busy machine. */
const WITHIN_MS = 200_000;

let fake: FakeModel;
let stack: OrionStack;
let browser: Browser;
let page: Page;
const servers: ChildProcess[] = [];

/** Types the command that serves the page; resolves to the page's address once it is served. */
const servePage = async (port: number): Promise<string> => {
  const script = serve?.replace(SHOWN_PORT, String(port)) ?? '';
  const server = spawn('bash', ['-c', `exec ${script}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return line.toString().trim();
};

beforeAll(async () => {
  const port = await drawFreePort();
  fake = await startFakeModel();
  stack = await OrionStack.start({
    ...settingsIn(start?.replace(SHOWN_PORT, String(port)) ?? ''),
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
  });
  browser = await startChromium();
  address = await servePage(port);
});
afterAll(async () => {
  await browser?.close();
  for (const server of servers) server.kill();
  await stack?.stop();
  await fake?.close();
});

let address: string;

beforeEach(async () => {
  page = await browser.newPage();
  page.setDefaultTimeout(WITHIN_MS);
});
afterEach(async () => {
  await page.close();
  fake.clear();
});

const ask = async (from = address): Promise<void> => {
  await page.goto(from);
  await page.getByLabel('Orion', { exact: true }).fill(stack.baseUrl);
  await page.getByLabel('Question', { exact: true }).fill('Well?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
};

const textOf = async (selector: string): Promise<string> =>
  (await page.locator(selector).textContent()) ?? '';

/** Resolves once the page shows this text. */
const shows = (text: string): Promise<void> => page.getByText(text).first().waitFor();

describe('a page of an allowed origin', () => {
  it('shows tools, text and the end, and text of the model as text', async () => {
    fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('All <b>done</b>.'));
    await ask();
    await shows('■ answered');
    expect(await page.locator('.tool').allTextContents()).toEqual([
      expect.stringMatching(/^✓ FileSystemTool_list_files \{"path":"\."\}: \d+ bytes in \d+ ms$/),
    ]);
    expect(await textOf('#answer')).toContain('All <b>done</b>.');
  });

  it('resumes when the gateway is killed: the answer is complete, and nothing comes twice', async () => {
    fake.script(gatedAnswer('One, two, ', 'strike', 'three.'));
    await ask();
    await shows('One, two,');
    await stack.kill('gateway');
    fake.release('strike');
    await shows('■ answered');
    expect(await textOf('#answer')).toBe('One, two, three.');
  });

  it('withdraws what a killed worker had said', async () => {
    fake.script(gatedAnswer('Never said. ', 'strike', 'x'), answer('What holds.'));
    await ask();
    await shows('Never said.');
    await stack.kill('worker');
    await shows('■ answered');
    expect(await textOf('#answer')).toBe('What holds.');
  });
});

it('a page of another origin is refused, and says which setting allows it', async () => {
  await ask(await servePage(await drawFreePort()));
  await shows('ORION_ALLOWED_ORIGINS');
  expect(fake.requests).toEqual([]);
});
