/**
 * Puts examples/tool and examples/protocol into a copy of the sources by the commands of examples/README.md: the copy
 * passes the checks, runs turns with both, and is as before when they are removed again.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { missingLine } from '../docs/page-commands.ts';
import { ChatClient } from '../support/chat-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { commandsUnder, typeCommand } from './support/example-commands.ts';
import { ROOT } from '../support/root.ts';

// The types and the lint of the whole copy are checked in one test.
jest.setTimeout(120_000);

const COPIED = ['src', 'workflows', 'activities', 'worker', 'examples', 'package.json', 'package-lock.json'];
const CHECKED = ['tsconfig.json', '.oxlintrc.json', '.prettierrc.json'];
/** The address that pages show; the stack of this run has another port. */
const SHOWN = 'http://127.0.0.1:5000';

const [registerTool] = commandsUnder('A built-in tool');
const [registerProtocol, askSingleAnswer] = commandsUnder('A protocol');

/** Returns what the reader types before the system is started. */
const withoutStart = (script = ''): string => script.replace(/ && npm start$/, '');

let copy: string;

const inCopy = (command: string): string =>
  execFileSync('bash', ['-c', command], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
  });

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'orion-extended-'));
  for (const name of [...COPIED, ...CHECKED]) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  inCopy(`${withoutStart(registerTool?.script)} && ${withoutStart(registerProtocol?.script)}`);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const expectToolUsed = async (stack: OrionStack, fake: FakeModel): Promise<void> => {
  const text = 'the same bytes have the same hash\n';
  await writeFile(join(stack.dataDir, 'workspace', 'a.txt'), text);
  fake.script(
    answerWithCall('FileSystemTool_hash_file', { path: 'a.txt' }),
    answerWithCall('FileSystemTool_hash_file', { path: '../processes.json' }),
    answer('Done.'),
  );
  const turn = await new ChatClient(stack.baseUrl).chat({ content: 'Hash them.', mode: 'plan' });
  await turn.ended;
  const messages = fake.requests.at(-1)?.body.messages ?? [];
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(results).toEqual([
    expect.stringContaining(createHash('sha256').update(text).digest('hex')),
    expect.stringContaining('"ok":false'),
  ]);
};

const expectOneAnswer = async (stack: OrionStack, fake: FakeModel): Promise<void> => {
  fake.clear();
  fake.script(answer('A title'));
  const { code, output } = await typeCommand(askSingleAnswer?.script.replace(SHOWN, stack.baseUrl) ?? '', {
    env: {},
  });
  expect([code, missingLine(askSingleAnswer?.shown ?? [], output)]).toEqual([0, undefined]);
  expect(fake.requests.map(({ body }) => body.tools)).toEqual([undefined]);
};

describe('sources with both in them', () => {
  it('pass the checks of types, zones and layout', () => {
    const checks =
      'tsc -p . && oxlint --deny-warnings src/tools src/protocol && prettier --check src/config src/contracts src/protocol src/tools';
    expect(() => inCopy(checks)).not.toThrow();
  });

  it('name every remaining protocol where two-stage is off', () => {
    const asking = `
      import { requireProtocol } from './src/gateway/requests/turn-options.ts';
      try {
        requireProtocol({ isTwoStageRoute: false, requested: 'two_stage', offersTwoStage: false });
      } catch ({ details }) {
        console.log(details[0].expected);
      }`;
    expect(inCopy(`node --input-type=module --eval "${asking}"`).trim()).toBe(
      '"standard" or "single_answer" (two-stage is off)',
    );
  });

  it('run turns with both', async () => {
    const fake = await startFakeModel();
    const stack = await OrionStack.start(
      { OPENAI_BASE_URL: fake.baseUrl, OPENAI_API_KEY: 'sk-test', ORION_MODEL: 'fake' },
      copy,
    );
    try {
      await expectToolUsed(stack, fake);
      await expectOneAnswer(stack, fake);
    } finally {
      await stack.stop();
      await fake.close();
    }
  });

  it('are as before when both are removed again', () => {
    inCopy('git apply -R examples/protocol/register.diff examples/tool/register.diff');
    const differences = ['src', 'examples']
      .map((name) => `diff -r ${name} '${join(ROOT, name)}'`)
      .join(' && ');
    expect(inCopy(differences)).toBe('');
  });
});
