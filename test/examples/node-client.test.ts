/** Tests examples/node-client.mjs on the processes of `npm start`: a whole turn, and turns whose processes die. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { missingLine } from '../docs/page-commands.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, gatedAnswer, refusal } from '../support/fake-model/responses.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { commandsUnder, typeCommand } from './support/example-commands.ts';

const [command] = commandsUnder('A client in Node');
const script = command?.script ?? '';

describe('as its README says, with the demo model', () => {
  let stack: OrionStack;
  beforeAll(async () => {
    stack = await OrionStack.start({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
  });
  afterAll(() => stack?.stop());

  it('shows tools, text and the end', async () => {
    const { code, output } = await typeCommand(script, { env: { ORION_URL: stack.baseUrl } });
    expect([code, missingLine(command?.shown ?? [], output), output]).toEqual([0, undefined, output]);
  });

  it('prints what the gateway refuses', async () => {
    const { code, output } = await typeCommand('node examples/node-client.mjs " "', {
      env: { ORION_URL: stack.baseUrl },
    });
    expect([code, output]).toEqual([1, expect.stringContaining('validation_failed')]);
  });
});

describe('while processes die', () => {
  let fake: FakeModel;
  let stack: OrionStack;
  beforeAll(async () => {
    fake = await startFakeModel();
    stack = await OrionStack.start({
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_API_KEY: 'sk-test',
      ORION_MODEL: 'fake',
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await fake?.close();
  });
  afterEach(() => fake.clear());

  /** Calls `strike` once, as soon as the client has shown `seen`. */
  const runAndStrike = (seen: string, strike: () => Promise<void>) => {
    let struck: Promise<void> | undefined;
    return typeCommand(script, {
      env: { ORION_URL: stack.baseUrl },
      onOutput: (output) => {
        if (output.includes(seen)) struck ??= strike();
      },
    });
  };

  it('resumes when the gateway is killed: the answer is complete, and nothing comes twice', async () => {
    fake.script(gatedAnswer('One, two, ', 'strike', 'three.'));
    const { code, output } = await runAndStrike('One, two, ', async () => {
      await stack.kill('gateway');
      fake.release('strike');
    });
    expect([code, output]).toEqual([0, 'One, two, three.\n■ completed, answered\n']);
  });

  it('withdraws what a killed worker had said, and shows what is valid', async () => {
    fake.script(gatedAnswer('Never said. ', 'strike', 'x'), answer('What holds.'));
    const { code, output } = await runAndStrike('Never said. ', () => stack.kill('worker'));
    const [withdrawn, holds] = output.split('↺ once more, from the beginning');
    expect([code, withdrawn?.trim(), holds?.trim()]).toEqual([
      0,
      'Never said.',
      'What holds.\n■ completed, answered',
    ]);
  });

  it('ends with 1 when the turn fails', async () => {
    fake.script(refusal(401, { message: 'no such key' }));
    const { code, output } = await typeCommand(script, { env: { ORION_URL: stack.baseUrl } });
    expect([code, output]).toEqual([1, expect.stringContaining('✗ model_auth: ')]);
  });
});
