/**
 * Plays scripts of what people and machines do to a chat page: questions, edits, replies, reloads, a lost network,
 * `kill -9` of worker and gateway. After each script the page shows what a fresh load of its address shows.
 * `ORION_TEST_SCRIPTS` is their number, `ORION_TEST_SEED` the seed of the first.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createRandom } from '../support/random.ts';
import { summarize } from '../bench/statistics.ts';
import { startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, longAnswer, answerWithCall } from '../support/fake-model/responses.ts';
import type { Response } from '../support/fake-model/script.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { describePage, watchRequests } from '../web/browser/support/describe-page.ts';
import { shareOf } from './share.ts';

const SCRIPTS = Number(process.env['ORION_TEST_SCRIPTS'] ?? shareOf(5));
const FIRST_SEED = Number(process.env['ORION_TEST_SEED'] ?? 1);
const ACTIONS = 7;
const PARALLEL_SCRIPTS = 4;
const PER_SCRIPT_MS = 60_000;
const START_MS = 240_000;
jest.setTimeout(SCRIPTS * PER_SCRIPT_MS + START_MS);

let model: FakeModel;
let stack: OrionStack;
let browser: Browser;

/** Responds by the last question: with a slow answer, with a tool call before it, or with a question to the user. */
const respond = ({
  messages = [],
}: {
  messages?: readonly { role: string; content?: unknown }[];
}): Response => {
  if (messages.at(-1)?.role === 'tool') return answer('It is ', 'done.');
  const asked = String(messages.findLast(({ role }) => role === 'user')?.content);
  if (asked.includes('list')) {
    return answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'I look. ' });
  }
  if (asked.includes('choose')) {
    return answerWithCall('UserTool_ask', { question: 'Which?', options: ['a', 'b'] });
  }
  return longAnswer(30, 40);
};

beforeAll(async () => {
  model = await startFakeModel({ respond });
  stack = await OrionStack.start({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
  });
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await model?.close();
});

/** The page is so high that every answer is in sight, and is therefore marked as read. */
const VIEWPORT = { width: 1_000, height: 8_000 };

/**
 * Presses a button. Resolves to false when it is not offered at this moment, or disappears before it could be pressed.
 */
const press = async (page: Page, name: string, within = 'body'): Promise<boolean> => {
  const button = page.locator(within).getByRole('button', { name, exact: true }).last();
  if ((await button.count()) === 0) return false;
  return hasWorked(button.click({ timeout: 1_000 }));
};

const hasWorked = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const say = async (page: Page, words: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(words);
  await page.keyboard.press('Enter');
};

/** The actions of the scripts. Those that resolve to false were not offered at this moment. */
const ACTION_BY_NAME: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  talk: (page) => say(page, 'talk'),
  list: (page) => say(page, 'list'),
  choose: (page) => say(page, 'choose'),
  reload: (page) => page.reload(),
  cut: async (page) => {
    await page.context().setOffline(true);
    await delay(300);
    await page.context().setOffline(false);
  },
  'kill worker': () => stack.kill('worker'),
  'kill gateway': () => stack.kill('gateway'),
  stop: (page) => press(page, 'Stop'),
  edit: async (page) => {
    if (!(await press(page, 'Edit the question'))) return false;
    const field = page.getByLabel('The question anew').last();
    return hasWorked(field.press('Enter', { timeout: 1_000 }));
  },
  again: (page) => press(page, 'Answer again'),
  version: (page) => press(page, 'Earlier version'),
  reply: (page) => press(page, 'No answer'),
};

/** Scripts that begin on a settled page, in an order in which each action is offered soon after the one before. */
const SCRIPTS_OF_EVERY_ACTION = [
  ['talk', 'stop'],
  ['edit'],
  ['again'],
  ['version'],
  ['choose', 'reply'],
  ['list'],
  ['reload', 'cut', 'kill worker', 'kill gateway'],
];

/** Resolves to whether the action was done. */
const act = async (name: string, page: Page): Promise<boolean> => {
  const result: unknown = await ACTION_BY_NAME[name]?.(page).catch(() => false);
  return result !== false;
};

/** Selects everything that is still under way. The error of an ended turn is not, since it stays in its place. */
const BUSY = [
  '.present',
  '.pending',
  '.stop',
  '[aria-busy=true]',
  '.column > .problem',
  '.exchange:not(:has(.timeline)) .problem',
].join(', ');

/** Resolves once nothing is under way: what was refused is sent again, and requests get a reply. */
const untilSettled = async (page: Page, script: string): Promise<void> => {
  const busy = page.locator(BUSY);
  await eventually('a page that is settled', async () => {
    await press(page, 'No answer');
    await press(page, 'Try again', '.pending, .exchange:not(:has(.timeline)), .column > .problem');
    const isRead = (await page.locator('.exchange, .welcome').count()) > 0;
    return isRead && (await busy.count()) === 0;
  }).catch(async (error: unknown) => {
    throw new Error(`${script} does not settle:\n${await describePage(page, stack.baseUrl)}`, {
      cause: error,
    });
  });
};

const columnHtml = (page: Page): Promise<string> => page.locator('.column').innerHTML();

interface Played {
  readonly seed: number;
  readonly acts: readonly string[];
  /** The actions that could be done, in their order. */
  readonly done: readonly string[];
  /**
   * The HTML of the column of exchanges: `watched` as it changed under the script, `fresh` as a fresh load shows it.
   */
  readonly watched: string;
  readonly fresh: string;
  /** The seconds that the script's actions, the settling and the fresh load took, in this order. */
  readonly seconds: readonly number[];
}

const play = async (seed: number): Promise<Played> => {
  const random = createRandom(seed);
  const names = Object.keys(ACTION_BY_NAME);
  const draw = (): string => names[Math.floor(random() * names.length)] ?? '';
  const acts = ['talk', ...Array.from({ length: ACTIONS - 1 }, draw)];
  const lap = stopwatch();
  const page = await browser.newPage({ viewport: VIEWPORT });
  watchRequests(page);
  await openUntilLoaded(page, stack.baseUrl);
  const done: string[] = [];
  for (const name of acts) {
    const address = page.url();
    if (await act(name, page)) done.push(name);
    await eventually(`a page after ${name}`, () => isPage(page, address));
    await delay(random() * 500);
  }
  await eventually('a gateway', () =>
    fetch(`${stack.baseUrl}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const script = `script ${seed} (${acts.join(', ')})`;
  const acted = lap();
  await untilSettled(page, script);
  const settling = lap();
  const other = await browser.newPage({ viewport: VIEWPORT });
  watchRequests(other);
  await openUntilLoaded(other, page.url());
  await untilSettled(other, `${script}, loaded anew`);
  let watched = '';
  let fresh = '';
  // The pages read answers one after the other, and read them again when a gateway was killed meanwhile.
  await eventually('the same page', async () => {
    [watched, fresh] = await Promise.all([columnHtml(page), columnHtml(other)]);
    return watched === fresh;
  }).catch(() => undefined);
  await page.close();
  await other.close();
  return { seed, acts, done, watched, fresh, seconds: [acted, settling, lap()] };
};

/** Returns a function that returns the seconds since its last call. */
const stopwatch = (): (() => number) => {
  let last = performance.now();
  return () => {
    const seconds = (performance.now() - last) / 1_000;
    last = performance.now();
    return seconds;
  };
};

/** Opens an address, again each time another script has just killed its gateway. */
const openUntilLoaded = (page: Page, address: string): Promise<boolean> =>
  eventually('a page', async () => {
    await page.goto(address).catch(() => undefined);
    return isPage(page, address);
  });

/**
 * Reports whether the chat page is there. A page that was loaded while its gateway died may be missing or lack its
 * scripts; a person then loads it again, as this does.
 */
const isPage = async (page: Page, address: string): Promise<boolean> => {
  const field = page.getByLabel('Message', { exact: true });
  const isThere = await field.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  );
  if (isThere) return true;
  await page.goto(page.url().startsWith(stack.baseUrl) ? page.url() : address).catch(() => undefined);
  return false;
};

const mediansOf = (rows: readonly (readonly number[])[]): string[] =>
  [0, 1, 2].map((column) => summarize(rows.map((row) => row[column] ?? 0)).p50.toFixed(1));

it('every action of the scripts can be done', async () => {
  expect(SCRIPTS_OF_EVERY_ACTION.flat().toSorted()).toEqual(Object.keys(ACTION_BY_NAME).toSorted());
  const page = await browser.newPage({ viewport: VIEWPORT });
  await openUntilLoaded(page, stack.baseUrl);
  for (const names of SCRIPTS_OF_EVERY_ACTION) {
    await untilSettled(page, `the page before ${names.join(', ')}`);
    for (const name of names) await eventually(`the offer of the action “${name}”`, () => act(name, page));
  }
  await page.close();
});

it('after any script the page equals a fresh load of its address', async () => {
  const seeds = Array.from({ length: SCRIPTS }, (_, script) => FIRST_SEED + script);
  const played: Played[] = [];
  // Several scripts run at once: a process that one of them kills is gone for all.
  const lane = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) played.push(await play(seed));
  };
  const lanes = Array.from({ length: PARALLEL_SCRIPTS }, lane);
  await Promise.allSettled(lanes);
  const equal = played.filter(({ watched, fresh }) => watched === fresh);
  const [tried, worked] = [played.flatMap(({ acts }) => acts), played.flatMap(({ done }) => done)];
  process.stderr.write(
    `${equal.length} of ${SCRIPTS} scripts of a chat page from seed ${FIRST_SEED}: the page is as a fresh load of it; ` +
      `${worked.length} of ${tried.length} acts were possible; ` +
      `seconds of acts, settling, fresh load: ${mediansOf(played.map(({ seconds }) => seconds)).join(', ')}\n`,
  );
  for (const { seed, acts, watched, fresh } of played) {
    expect({ seed, acts, page: watched }).toEqual({ seed, acts, page: fresh });
  }
  await Promise.all(lanes);
  // Every script begins with a question.
  expect(played.filter((script) => script.done[0] !== 'talk')).toEqual([]);
  expect(equal).toHaveLength(SCRIPTS);
});
