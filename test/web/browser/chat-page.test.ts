/**
 * Covers the chat page in a real Chromium on the real system: what a person sees, types and gets, while processes die
 * and texts are malicious.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newKey } from '../../../src/access/new-key.ts';
import { eventually } from '../../support/eventually.ts';
import { startChromium } from '../../support/chromium.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, gatedAnswer, answerWithCall } from '../../support/fake-model/responses.ts';
import { OrionStack } from '../../support/orion-stack.ts';
import { faultsOfState, seriousViolations, SIZES } from './support/axe.ts';
import { untilMessageIsAccepted } from './support/use-page.ts';

let fake: FakeModel;
let stack: OrionStack;
let browser: Browser;
let page: Page;
let folder: string;
let signedIn: NonNullable<BrowserContextOptions['storageState']> | undefined;
/**
 * The time (ms) within which anything must be there; even a process that was killed on a busy machine is back by then.
 */
const WITHIN_MS = 200_000;
const anna = newKey('anna', ['*']);
const visitor = newKey('visitor', ['*']);
const guest = newKey('guest', ['team', 'default']);

beforeAll(async () => {
  fake = await startFakeModel();
  folder = await mkdtemp(join(tmpdir(), 'orion-page-'));
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, JSON.stringify([anna, visitor, guest].map(({ entry }) => entry)));
  stack = await OrionStack.start({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ORION_API_KEYS_FILE: keysFile,
    ORION_APPROVALS: 'writes',
    ORION_COMMANDS: 'ask',
  });
  browser = await startChromium();
  const first = await openPage({});
  await first.goto(stack.baseUrl);
  await signIn(anna.key, first);
  signedIn = await first.context().storageState();
  await first.close();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});

const signIn = async (key: string, at: Page): Promise<void> => {
  await at.getByLabel('API key', { exact: true }).fill(key);
  await at.getByRole('button', { name: 'Sign in', exact: true }).click();
  await at.getByLabel('Message', { exact: true }).waitFor();
};

/** Opens a page of somebody who is signed in, unless the options say otherwise. */
const openPage = async (options?: BrowserContextOptions): Promise<Page> => {
  const opened = await browser.newPage({ ...(signedIn && { storageState: signedIn }), ...options });
  opened.setDefaultTimeout(WITHIN_MS);
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
  // Nothing malicious got so far that only the content policy stopped it.
  const violations = await page.evaluate('globalThis.violations ?? []');
  await page.close();
  fake.clear();
  expect(violations).toEqual([]);
});

const sendMessage = async (text: string, at = page): Promise<void> => {
  await at.getByLabel('Message', { exact: true }).fill(text);
  await at.keyboard.press('Enter');
};
const answerText = async (at = page): Promise<string> => at.locator('.answer').last().innerText();
/** Resolves to the last answer as it is shown, once its turn has ended. */
const untilAnswerIsWhole = async (at = page): Promise<string> => {
  await at.locator('.exchange').last().getByRole('button', { name: 'Copy answer', exact: true }).waitFor();
  return answerText(at);
};
const expectShown = (text: string | RegExp, at = page): Promise<void> => at.getByText(text).first().waitFor();

describe('a conversation', () => {
  it('shows words, tools and the end, and a fresh load of its address shows the same', async () => {
    fake.script(
      answerWithCall('FileSystemTool_list_files', { path: '.' }),
      answer('# Done\n\n- **all** of `it`\n'),
    );
    await page.goto(stack.baseUrl);
    await sendMessage('List the files');
    await untilAnswerIsWhole();
    const card = page.locator('.call');
    expect(await card.innerText()).toMatch(/list_files\s+\.\s+done in \d+ ms/);
    expect(await page.locator('.answer li').innerHTML()).toBe('<strong>all</strong> of <code>it</code>');
    expect(page.url()).toMatch(/\?conversation=chat-\w+&turn=turn-\w+$/);
    const fresh = await openPage();
    await fresh.goto(page.url());
    await untilAnswerIsWhole(fresh);
    const exchange = (at: Page): Promise<string> => at.locator('.exchange').innerHTML();
    await eventually('the same on both', async () => (await exchange(page)) === (await exchange(fresh)));
    await fresh.locator('.sidebar a[aria-current] .title', { hasText: /^List the files$/ }).waitFor();
    await eventually('a title', async () => (await fresh.title()) === 'List the files · Orion');
    await fresh.close();
  });

  it('goes on after a reload in the middle, even when the address has only the turn', async () => {
    fake.script(gatedAnswer('One, two, ', 'go', 'three.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Count');
    await expectShown('One, two,');
    await page.reload();
    await expectShown('One, two,');
    await page.goto(`${stack.baseUrl}/?turn=${new URL(page.url()).searchParams.get('turn')}`);
    await expectShown('One, two,');
    fake.release('go');
    expect(await untilAnswerIsWhole()).toMatch(/^One, two, three\./);
  });

  it('takes back what a killed worker had said, and outlives its gateway', async () => {
    fake.script(gatedAnswer('Never said. ', 'go', 'x'), gatedAnswer('What ', 'go', 'holds.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Say');
    await expectShown('Never said.');
    await stack.kill('worker');
    await page.locator('.answer').getByText('What', { exact: true }).waitFor();
    // The notice is awaited from here on, since the next gateway may be there before anybody looks again.
    const cut = expectShown('Connection lost');
    await stack.kill('gateway');
    await cut;
    fake.release('go');
    expect(await untilAnswerIsWhole()).toMatch(/^What holds\./);
  });

  it('is stopped by its reader', async () => {
    fake.script(gatedAnswer('On and ', 'go', 'on.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Talk');
    await expectShown('On and');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectShown('Stopped.');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  });

  it('shows a failure in the words of the gateway, and asks again', async () => {
    fake.script({ status: 401, body: { error: { message: 'no' } } }, answer('Now.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Well?');
    await page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true }).click();
    await expectShown('Now.');
  });

  it('asks again as it was asked, after a reload, too', async () => {
    const posted: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/turns')) {
        posted.push(request.postDataJSON());
      }
    });
    const no = { status: 401, body: { error: { message: 'no' } } };
    fake.script(no, no, answer('Now.'));
    await page.goto(stack.baseUrl);
    await page.getByLabel('Mode').selectOption('plan');
    await page.getByLabel('Protocol').selectOption('standard');
    await sendMessage('Well?');
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again', exact: true });
    await again.click();
    await eventually('a second turn', () => posted.length === 2 && fake.requests.length === 2);
    await again.waitFor();
    await page.reload();
    await again.click();
    await expectShown('Now.');
    expect(posted).toHaveLength(3);
    for (const one of posted) {
      expect(one).toMatchObject({ mode: 'plan', metadata: { protocol: 'standard' }, content: 'Well?' });
    }
  });
});

describe('a conversation with several branches', () => {
  /** Resolves once these messages are shown in this order; the ones before the newest are read after it. */
  const untilMessagesAre = (...messages: string[]): Promise<boolean> =>
    eventually(`the messages ${messages.join(', ')}`, async () => {
      const shown = await page.locator('.exchange .user-message').allInnerTexts();
      return isDeepStrictEqual(
        shown.map((text) => text.trim()),
        messages,
      );
    });

  it('is asked in another way and answered again; each branch stays, under an address of its own', async () => {
    fake.script(answer('First.'), answer('Second.'), answer('Third.'), answer('Fourth.'));
    await page.goto(stack.baseUrl);
    await sendMessage('One');
    await untilAnswerIsWhole();
    await sendMessage('Two');
    await expectShown('Second.');
    await untilAnswerIsWhole();
    await page.getByRole('button', { name: 'Edit the question', exact: true }).first().click();
    await page.getByLabel('The question anew', { exact: true }).fill('Uno');
    await page.keyboard.press('Enter');
    await expectShown('Third.');
    await untilAnswerIsWhole();
    await untilMessagesAre('Uno');
    expect(JSON.stringify(fake.requests.at(-1)?.body)).not.toContain('First.');
    await page.getByRole('button', { name: 'Earlier version', exact: true }).click();
    await expectShown('Second.');
    await untilMessagesAre('One', 'Two');
    await page.reload();
    await expectShown('Second.');
    await untilMessagesAre('One', 'Two');
    // This is the button of the second message, which is read after the first.
    await page.getByRole('button', { name: 'Answer again', exact: true }).nth(1).click();
    await expectShown('Fourth.');
    await untilMessagesAre('One', 'Two');
    const versions = page.getByRole('group', { name: 'Versions', exact: true });
    await versions.first().getByText('1 of 2').waitFor();
    await versions.last().getByText('2 of 2').waitFor();
    await page.goBack();
    await expectShown('Third.');
    await untilMessagesAre('Uno');
  });
});

describe('a turn that waits', () => {
  it('gets its reply in another tab, with the diff, after a reload; both tabs show who replied', async () => {
    const write = { path: 'page-test.md', content: '# New\n\nSecond line\n' };
    fake.script(answerWithCall('FileSystemTool_write_to_file', write), answer('It is written.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Write it');
    await page.getByLabel('Changes of page-test.md', { exact: true }).waitFor();
    await page.reload();
    const card = page.getByRole('region', { name: 'Needs a reply', exact: true });
    await page.getByLabel('Changes of page-test.md', { exact: true }).waitFor();
    const added = await card.locator('.diff .added').allTextContents();
    expect(added.join('')).toBe('+# New\n+\n+Second line\n');
    await eventually('a title that counts 1', async () => (await page.title()).startsWith('(1) '));
    const other = await openPage();
    await other.goto(stack.baseUrl);
    await other.getByRole('region', { name: 'Needs you' }).getByRole('link').click();
    await other.getByRole('button', { name: 'Allow', exact: true }).click();
    for (const at of [page, other]) {
      await expectShown('Allowed by anna', at);
      expect(await untilAnswerIsWhole(at)).toContain('It is written.');
    }
    await eventually('a title without a count', async () => !(await page.title()).startsWith('('));
    await other.close();
  });

  it('is denied with a note for the model', async () => {
    fake.script(
      answerWithCall('FileSystemTool_write_to_file', { path: 'no.md', content: 'x' }),
      answer('As you say.'),
    );
    await page.goto(stack.baseUrl);
    await sendMessage('Write it');
    await page.getByLabel('A note for the model, with Deny', { exact: true }).fill('Not there.');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await expectShown('Denied by anna: “Not there.”');
    expect(await untilAnswerIsWhole()).toContain('As you say.');
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('The user says: Not there.');
  });

  it('runs with arguments that were edited', async () => {
    fake.script(
      answerWithCall('FileSystemTool_write_to_file', { path: 'b.md', content: 'x' }),
      answer('Done.'),
    );
    await page.goto(stack.baseUrl);
    await sendMessage('Write it');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const field = page.getByLabel('Arguments as JSON', { exact: true });
    await field.fill('{"path"');
    await expectShown('Expected a JSON object.');
    await field.fill('{"path":"c.md","content":"y"}');
    await page.getByRole('button', { name: 'Run with these', exact: true }).click();
    await expectShown('Allowed with other arguments by anna');
    await untilAnswerIsWhole();
  });

  it('asks a question, which is answered with the keyboard only', async () => {
    fake.script(
      answerWithCall('UserTool_ask', { question: 'Which colour?', options: ['red', 'blue'] }),
      answer('Blue it is.'),
    );
    await page.goto(stack.baseUrl);
    await sendMessage('Paint');
    await page.getByRole('radio', { name: 'red' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectShown('Answered by anna');
    expect(await untilAnswerIsWhole()).toContain('Blue it is.');
    // The text of the question contains the colours, too.
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain(String.raw`\"answer\":\"blue\"`);
  });
});

describe('a file that is written', () => {
  it('is seen growing, allowed by its diff, and taken back', async () => {
    fake.script(
      answerWithCall('WritePlanTool_begin', { target_file: 'pages/long.md', operation: 'create' }),
      gatedAnswer('# Long\n\nThe first line\n', 'go', 'The last line\nDONE\nAs you wished.'),
      answer('It is there.'),
    );
    await page.goto(stack.baseUrl);
    await sendMessage('Write a long file');
    const card = page.getByRole('region', { name: 'File pages/long.md', exact: true });
    await card.getByText('The first line').waitFor();
    await card.getByText('being written, 3 lines, 23 B so far, a new file').waitFor();
    fake.release('go');
    await page.getByLabel('Changes of pages/long.md', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await untilAnswerIsWhole();
    await expectShown('As you wished.');
    await card.getByText(/^(?!being ).*written, 4 lines/).waitFor();
    await card.getByText('Its text').click();
    expect(await card.locator('pre').innerText()).toBe('# Long\n\nThe first line\nThe last line\n');
    await page.getByText('Changed a file').click();
    await page.getByRole('button', { name: 'Undo …', exact: true }).click();
    await page
      .getByRole('group', { name: 'Undo', exact: true })
      .getByRole('button', { name: 'Undo', exact: true })
      .click();
    await expectShown('is removed: the turn had made it');
  });
});

describe('a command', () => {
  it('shows its output while it runs, and all of it when its card is opened, after a reload, too', async () => {
    const command = 'echo begun; until [ -e go.txt ]; do sleep 0.1; done; echo over';
    fake.script(answerWithCall('TerminalTool_run_command', { command }), answer('It ran.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Run it');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const output = page.getByRole('region', { name: 'Output so far', exact: true });
    await output.getByText('begun').waitFor();
    await writeFile(join(stack.dataDir, 'workspace', 'default', 'go.txt'), '');
    await untilAnswerIsWhole();
    await output.waitFor({ state: 'detached' });
    await page.reload();
    await untilAnswerIsWhole();
    await page.locator('.call summary').click();
    // The figure of the arguments is there before that of the result, and has the same words.
    const result = page.locator('.call figure').filter({ hasText: 'exit_code' });
    await result.waitFor();
    expect(await result.innerText()).toMatch(
      /"exit_code": 0[^]*begun[^]*over|begun[^]*over[^]*"exit_code": 0/,
    );
  });
});

describe('what a turn did', () => {
  it('stands open under an address of its own', async () => {
    fake.script(answer('Yes.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Well?');
    await untilAnswerIsWhole();
    await page.getByText('What it did').click();
    const steps = page.getByRole('list', { name: 'Steps of the turn', exact: true });
    await page.waitForURL(/#did-turn-\w+$/);
    await page.reload();
    await steps.waitFor();
    await expectShown('not known: a model that it called has no price');
    await page.getByText('What it did').click();
    await eventually('an address without it', () => Promise.resolve(!page.url().includes('#')));
  });
});

describe('a person who looks elsewhere', () => {
  it('is notified once of each request, if notifications are allowed', async () => {
    const away = await openPage();
    await away.addInitScript(`
      globalThis.notified = []; globalThis.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() { return (Notification.permission = 'granted'); }
        constructor(title, { body }) { super(); globalThis.notified.push(title + ': ' + body); }
      };
      globalThis.lookElsewhere = () => {
        Object.defineProperty(document, 'hidden', { get: () => true });
        document.dispatchEvent(new Event('visibilitychange'));
      };
    `);
    fake.script(answerWithCall('UserTool_ask', { question: 'Which colour?' }));
    await away.goto(stack.baseUrl);
    await away.getByRole('button', { name: 'Notify me when something waits', exact: true }).click();
    await away.evaluate('lookElsewhere()');
    await sendMessage('Paint', away);
    const notified = (): Promise<unknown> => away.evaluate('globalThis.notified');
    await eventually('a notification', async () => ((await notified()) as string[]).length > 0);
    expect(await notified()).toEqual([expect.stringMatching(/^Orion needs you: /)]);
    await away.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectShown('Stopped.', away);
    await away.close();
  });
});

describe('a message into an answer', () => {
  it('goes in with the next step', async () => {
    fake.script(gatedAnswer('First. ', 'go', 'Still first.'), answer('Second.'));
    await page.goto(stack.baseUrl);
    await sendMessage('Begin');
    await expectShown('First.');
    await untilMessageIsAccepted(page, () => sendMessage('And more'));
    fake.release('go');
    expect(await untilAnswerIsWhole()).toMatch(/First\. Still first\.\s+And more\s+Second\./);
    await eventually('it once', async () => (await page.getByText('And more').count()) === 1);
  });

  it('that was not read is handed back when the turn is stopped, and asked with the chosen settings', async () => {
    fake.script(gatedAnswer('First. ', 'go', 'x'));
    await page.goto(stack.baseUrl);
    await page.getByLabel('Mode').selectOption('plan');
    await sendMessage('Begin');
    await expectShown('First.');
    await untilMessageIsAccepted(page, () => sendMessage('Too late'));
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await eventually(
      'it back',
      async () => (await page.getByLabel('Message', { exact: true }).inputValue()) === 'Too late',
    );
    expect(await page.getByLabel('Mode').inputValue()).toBe('plan');
  });
});

describe('a key', () => {
  it('opens the page once, and is nowhere afterwards', async () => {
    // The policy is bypassed for axe, which is put into the page.
    const fresh = await openPage({ storageState: { cookies: [], origins: [] }, bypassCSP: true });
    await fresh.goto(stack.baseUrl);
    await fresh.getByLabel('API key', { exact: true }).fill('wrong');
    await fresh.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expectShown('Expected a valid API key.', fresh);
    for (const scheme of ['light', 'dark'] as const) {
      await fresh.emulateMedia({ colorScheme: scheme });
      expect(await seriousViolations(fresh)).toEqual([]);
    }
    await signIn(visitor.key, fresh);
    await fresh.reload();
    await expectShown('visitor', fresh);
    const kept = await fresh.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(kept).not.toContain(visitor.key);
    expect(kept).not.toContain('visitor');
    await fresh.getByRole('button', { name: 'Sign out', exact: true }).click();
    await fresh.getByLabel('API key', { exact: true }).waitFor();
    await fresh.reload();
    await fresh.getByLabel('API key', { exact: true }).waitFor();
    await fresh.close();
  });
});

it('an address without a project leads to the default one, also with a key whose first project is another', async () => {
  const fresh = await openPage({ storageState: { cookies: [], origins: [] } });
  await fresh.goto(stack.baseUrl);
  await signIn(guest.key, fresh);
  const project = fresh.locator('.projects select');
  expect(await project.inputValue()).toBe('team');
  await project.selectOption('default');
  await fresh.waitForURL((address) => !address.searchParams.has('project'));
  await fresh.reload();
  expect(await project.inputValue()).toBe('default');
  await fresh.close();
});

it('an address with a project that the key does not open says so, with a link to each that it opens', async () => {
  const fresh = await openPage({ storageState: { cookies: [], origins: [] } });
  await fresh.goto(stack.baseUrl);
  await signIn(guest.key, fresh);
  await fresh.goto(`${stack.baseUrl}/?project=other&view=files`);
  await expectShown('There is no project other, or this key does not open it.', fresh);
  await fresh.getByRole('link', { name: 'Start a new conversation in default', exact: true }).waitFor();
  await fresh.getByRole('link', { name: 'Start a new conversation in team', exact: true }).click();
  await fresh.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
  expect(new URL(fresh.url()).searchParams.get('project')).toBe('team');
  await fresh.close();
});

describe('malicious texts', () => {
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
    `${'>'.repeat(20_000)} the end`,
  ];

  it('run nothing, load nothing and lead nowhere but to the web', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    fake.script(answerWithCall('FileSystemTool_read_file', { path: EVIL[1] }), answer(EVIL.join('\n\n')));
    await page.goto(stack.baseUrl);
    await sendMessage(EVIL[0] ?? '');
    await untilAnswerIsWhole();
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

const MANY_BLOCKS = `## What I found

A paragraph with \`code\` and a [link](https://example.org).

| a | b |
| - | - |
| 1 | 2 |

\`\`\`ts
const x = 1;
\`\`\`

> quoted

1. one
2. two
`;

describe.each(SIZES)('%s, light and dark', (size, viewport) => {
  it('has no serious fault of accessibility, and nothing sticks out', async () => {
    const shown = await openPage({ viewport, bypassCSP: true });
    const look = async (state: string): Promise<void> => {
      expect(await faultsOfState(shown, state, size)).toEqual([]);
    };
    fake.script(
      answerWithCall('FileSystemTool_list_files', { path: '.' }),
      answer(MANY_BLOCKS),
      answerWithCall('FileSystemTool_write_to_file', { path: 'docs/a.md', content: '# A\n\nText.\n' }),
      answerWithCall('UserTool_ask', { question: 'Which colour?', options: ['red', 'blue'] }),
    );
    await shown.goto(stack.baseUrl);
    await shown.getByRole('heading', { name: 'What shall be done?', exact: true }).waitFor();
    await look('empty');
    await sendMessage('List the files, then read README.md', shown);
    await untilAnswerIsWhole(shown);
    await look('answer');
    await shown.emulateMedia({ media: 'print' });
    expect(await shown.locator('.sidebar, .composer, button').filter({ visible: true }).count()).toBe(0);
    await shown.emulateMedia({ media: 'screen' });
    await shown.getByText('What it did').click();
    const steps = shown.getByRole('list', { name: 'Steps of the turn', exact: true }).getByRole('listitem');
    await steps.nth(2).waitFor();
    expect((await steps.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
      'Model call',
      'FileSystemTool.list_files',
      'Model call',
    ]);
    await steps.nth(1).getByText('FileSystemTool.list_files', { exact: true }).click();
    await look('timeline');
    await shown.getByText('What it did').click();
    await sendMessage('Write docs/a.md', shown);
    await shown.getByRole('button', { name: 'Deny', exact: true }).waitFor();
    await look('approval');
    await shown.getByRole('button', { name: 'Deny', exact: true }).click();
    await shown.getByRole('radio', { name: 'red' }).waitFor();
    await look('question');
    await shown.getByRole('button', { name: 'Stop', exact: true }).click();
    await expectShown('Stopped.', shown);
    await shown.close();
  });
});
