/**
 * Tests a long conversation on the processes of `npm start` with the demo model: what its prompts leave out is
 * summarised, shown and found.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import { createStateDir, runOrion } from '../support/orion-cli.ts';
import { OrionStack } from '../support/orion-stack.ts';

let stack: OrionStack;
beforeAll(async () => {
  stack = await OrionStack.start({ CONTEXT_TOKENS: '6000' });
});
afterAll(() => stack?.stop());

const MAX_TURNS = 30;

it('the model gets what the first turns said when they are left out', async () => {
  const chat = new ChatClient(stack.baseUrl);
  const context = (): Promise<Record<string, unknown>> =>
    chat.json('/api/conversations/shelves/context?projectId=p');
  const say = async (n: number): Promise<void> => {
    const requestId = `shelves-${n}`;
    const content = `Fact ${n}: cups stand on shelf ${n}. ${'Thanks a lot. '.repeat(300)}`;
    await chat.start({ projectId: 'p', conversationId: 'shelves', requestId, content });
    await eventually('the end of the turn', async () => {
      const { status } = await chat.json(`/api/turns/${requestId}`);
      if (status === 'failed' || status === 'cancelled') throw new Error(`${requestId} ended as ${status}`);
      return status === 'completed';
    });
  };
  let n = 0;
  while (n < MAX_TURNS && (n === 0 || (await context())['isWhole'] === true)) {
    await say(n);
    n += 1;
  }
  expect(n).toBeLessThan(MAX_TURNS);
  const beginning = await eventually('the end of a summary', async () => {
    const [, first] = (await context())['blocks'] as { content: string }[];
    return first?.content.includes('[end of the summary]') === true && first.content;
  });
  expect(beginning).toContain('- Fact 0: cups stand on shelf 0.');

  const state = createStateDir();
  const words = ['--project', 'p', '--resume', 'shelves', '-p', 'What did I say about "shelf 0"?'];
  const told = await runOrion(words, { url: stack.baseUrl, env: { XDG_STATE_HOME: state.path } });
  state.remove();
  expect([told.code, told.stdout]).toEqual([
    0,
    expect.stringMatching(
      /Earlier in this conversation:[^]*message of the user: Fact 0: cups stand on shelf 0\./,
    ),
  ]);
});
