/**
 * Covers the chat page by keyboard, in a real Chromium: when the element with the focus goes away, the focus stays
 * near.
 */
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { type PageInUse, untilMessageIsAccepted, usePage, untilAnswersAreWhole } from './support/use-page.ts';

let world: PageInUse;
usePage(
  (next) => {
    world = next;
  },
  { ORION_APPROVALS: 'writes' },
);

/** This is more than the page has places for the focus. */
const MAX_TABS = 150;

/**
 * An expression for the kind of the element that has the focus, and the name by which a person knows it; '' when no
 * element has it.
 */
const FOCUSED = `(({ activeElement: at }) => {
  if (at === document.body) return '';
  const labels = at.labels && at.labels.length > 0 ? at.labels[0].textContent : undefined;
  const name = at.getAttribute('aria-label') ?? labels ?? at.textContent;
  return at.localName + ': ' + name.replaceAll(/\\s+/g, ' ').trim();
})(document)`;

const focused = (): Promise<string> => world.page.evaluate(FOCUSED) as Promise<string>;
const press = (...keys: string[]): Promise<void> =>
  keys.reduce((before, key) => before.then(() => world.page.keyboard.press(key)), Promise.resolve());

/** Presses `key` until an element of this name has the focus. */
const goTo = async (name: string, key: 'Tab' | 'Shift+Tab'): Promise<void> => {
  const seen: string[] = [];
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    await press(key);
    seen.push(await focused());
    if (seen.at(-1) === name) return;
  }
  throw new Error(`expected ${name} to be reached by ${key}, reached ${seen.join(' | ')}`);
};

/**
 * Presses the element that has the focus; resolves once `becomes` has, and checks that something has the focus then.
 */
const activate = async (becomes: Promise<unknown>, key = 'Enter'): Promise<void> => {
  await press(key);
  await becomes;
  // An element that goes away does so with the next frames.
  await world.page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  expect(await focused()).not.toBe('');
};
const expectShown = (text: string): Promise<void> =>
  world.page.getByText(text, { exact: true }).first().waitFor();
const button = (name: string): Promise<void> =>
  world.page.getByRole('button', { name, exact: true }).first().waitFor();
const type = async (text: string): Promise<void> => world.page.keyboard.type(text);
const typeAndActivate = async (text: string, becomes: Promise<unknown>): Promise<void> => {
  expect(await focused()).toBe('textarea: Message');
  await type(text);
  await activate(becomes);
};

const begin = async (): Promise<void> => {
  const { page, stack } = world;
  await page.addInitScript(`
    globalThis.pressed = 0;
    addEventListener('pointerdown', () => (globalThis.pressed += 1), true);
  `);
  await page.goto(stack.baseUrl);
  await eventually('the line in focus', async () => (await focused()) === 'textarea: Message');
};
const expectNoMouse = async (): Promise<void> =>
  expect(await world.page.evaluate('globalThis.pressed')).toBe(0);

it('turns are started, stopped, steered, allowed with other arguments and answered', async () => {
  const { page, fake } = world;
  fake.script(
    gatedAnswer('On and ', 'never', 'on.'),
    gatedAnswer('First. ', 'go', 'Still first.'),
    answerWithCall('FileSystemTool_write_to_file', { path: 'a.md', content: 'x' }),
    answerWithCall('UserTool_ask', { question: 'Which colour?', options: ['red', 'blue'] }),
    answer('All done.'),
  );
  await begin();
  await typeAndActivate('Talk', expectShown('On and'));
  await goTo('button: Stop', 'Tab');
  await activate(expectShown('Stopped.'));
  await typeAndActivate('Begin', expectShown('First.'));
  await untilMessageIsAccepted(page, () =>
    typeAndActivate('And more', expectShown('Goes in with the next step')),
  );
  fake.release('go');
  await button('Deny');
  await goTo('button: Edit', 'Shift+Tab');
  await activate(page.getByLabel('Arguments as JSON', { exact: true }).waitFor());
  expect(await focused()).toBe('textarea: Arguments as JSON');
  await press('Control+A');
  await type('{"path":"b.md","content":"y"}');
  await goTo('button: Run with these', 'Tab');
  await activate(page.getByText('Allowed with other arguments', { exact: false }).waitFor());
  // After a reply the focus moves to the message line, one step below the next request.
  expect(await focused()).toBe('textarea: Message');
  await page.getByRole('radio', { name: 'red', exact: true }).waitFor();
  // Backwards, a group of options is entered by its last option.
  await goTo('input: blue', 'Shift+Tab');
  await press('Space');
  expect(await focused()).toBe('input: blue');
  await goTo('button: Answer', 'Tab');
  await activate(expectShown('All done.'));
  await untilAnswersAreWhole(page, 2);
  expect(await focused()).toBe('textarea: Message');
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain(String.raw`\"answer\":\"blue\"`);
  await expectNoMouse();
});

it('Escape stops an answer while nothing is typed, and nothing else', async () => {
  const { page, fake } = world;
  fake.script(gatedAnswer('On and ', 'never', 'on.'));
  const stops: string[] = [];
  page.on('request', (request) => request.url().endsWith('/cancel') && stops.push(request.url()));
  await begin();
  await press('Escape');
  await typeAndActivate('Talk', expectShown('On and'));
  await type('More');
  await press('Escape');
  expect(stops).toEqual([]);
  await press('Control+A');
  await press('Backspace');
  await press('Escape');
  await expectShown('Stopped.');
  expect(stops).toHaveLength(1);
});

it('branches, titles and the view of a turn can be opened and left again', async () => {
  const { page, fake } = world;
  // The turn takes long enough to be zoomed into.
  fake.script(answer('First.'), { steps: [{ waitMs: 200 }, ...(answer('Second.').steps ?? [])] });
  await begin();
  await typeAndActivate('Keys', expectShown('First.'));
  await untilAnswersAreWhole(page, 1);
  await goTo('button: Edit the question', 'Shift+Tab');
  await activate(page.getByLabel('The question anew', { exact: true }).waitFor());
  await press('Control+A');
  await type('Other keys');
  await activate(expectShown('Second.'));
  await untilAnswersAreWhole(page, 1);
  expect(await focused()).toBe('textarea: Message');
  await goTo('button: Earlier version', 'Shift+Tab');
  await activate(expectShown('First.'));
  await goTo('button: Later version', 'Tab');
  await activate(expectShown('Second.'));
  await goTo('summary: What it did', 'Tab');
  const range = page.getByLabel('Part of the time that is seen', { exact: true });
  await activate(button('Zoom in'));
  await goTo('button: Zoom in', 'Tab');
  await activate(eventually('a part of it', () => range.isEnabled()));
  await goTo('input: Part of the time that is seen', 'Tab');
  await press('End');
  expect(Number(await range.inputValue())).toBeGreaterThan(0);
  await goTo('button: Zoom out', 'Shift+Tab');
  // The whole turn is in sight again, and the range has nothing more to zoom out to.
  await activate(eventually('the whole', () => range.isDisabled()));
  await goTo('summary: What it did', 'Shift+Tab');
  await activate(range.waitFor({ state: 'detached' }));
  await goTo('button: Options of Keys', 'Shift+Tab');
  await activate(button('Rename'));
  await activate(page.getByLabel('Title', { exact: true }).waitFor());
  await press('Control+A');
  await type('By keys');
  await activate(page.getByRole('heading', { name: 'By keys', exact: true }).waitFor());
  expect(await focused()).toMatch(/^button: Options of /);
  await goTo('a: Files', 'Tab');
  await activate(page.getByRole('region', { name: 'Files', exact: true }).waitFor());
  await goTo('a: By keys', 'Tab');
  await activate(expectShown('Second.'));
  expect(await focused()).toBe('textarea: Message');
  await expectNoMouse();
});

it('a call is denied from the note for the model, once that says something', async () => {
  const { page, fake } = world;
  fake.script(
    answerWithCall('FileSystemTool_write_to_file', { path: 'no.md', content: 'x' }),
    answer('As you say.'),
  );
  await begin();
  await typeAndActivate('Write it', button('Deny'));
  await goTo('input: A note for the model, with Deny', 'Shift+Tab');
  await press('Enter');
  await type('Not there.');
  await activate(expectShown('Denied: “Not there.”'));
  await untilAnswersAreWhole(page, 1);
  expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('The user says: Not there.');
  await expectNoMouse();
});
