/** Tests `--resume`: it takes a conversation by its id or by the beginning of its id, or offers a list. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TurnFlags } from '../../src/cli/args/command.ts';
import { resumeConversation } from '../../src/cli/chat/resume-conversation.ts';
import type { CliContext } from '../../src/cli/command-context/cli-context.ts';
import { createConversationClient } from '../../src/cli/http/conversation-client.ts';
import { createGatewayClient } from '../../src/cli/http/gateway-client.ts';
import { partOf } from '../support/part-of.ts';
import { useGatewayWorld } from './support/gateway.ts';

const world = useGatewayWorld();
const projectId = 'p';
/** A conversation with messages that is not among the newest ones. */
const OLD = 'older-than-the-list';

const resumed = async (resume: TurnFlags['resume'], { isTTY = true } = {}) => {
  const said: string[] = [];
  const gateway = createGatewayClient({ url: world().url, apiKey: undefined });
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    config: { projectId },
    cliProcess: { stdin: { isTTY } },
    screen: { report: (line: string) => said.push(line) },
    conversations: createConversationClient(gateway),
  });
  const result = await resumeConversation(context, { resume } as TurnFlags);
  const found = result.kind === 'chosen' ? result.turnFlags.conversation : result.code;
  return { found, said: said.join('\n') };
};

describe('--resume <id>', () => {
  beforeEach(async () => {
    for (const conversationId of ['xyz-3', 'abd', 'abd-2', 'abc-1']) {
      await world().post('/api/turns', {
        projectId,
        conversationId,
        content: 'why',
        requestId: conversationId,
      });
    }
    await world().messages.insertNote({
      projectId,
      conversationId: OLD,
      requestId: OLD,
      sender: 'orion',
      content: 'why',
      metadata: {},
    });
  });

  it.each([
    ['xyz-3', 'xyz-3'],
    ['x', 'xyz-3'],
    ['abd', 'abd'],
    [OLD, OLD],
  ])('%s goes on with %s', async (given, found) => {
    expect(await resumed(given)).toEqual({ found, said: '' });
  });

  it('a beginning of several ids lists them, and a beginning of none starts no new conversation', async () => {
    const several = await resumed('ab');
    expect(several.found).toBe(2);
    expect(several.said).toMatch(/3 conversations:\n {2}abc-1 {2}why\n {2}abd-2/);
    expect(await resumed('q')).toMatchObject({
      found: 1,
      said: expect.stringContaining('no conversation q'),
    });
  });
});

describe('--resume', () => {
  it('without an id needs a terminal, and says what works without one', async () => {
    const result = await resumed(true, { isTTY: false });
    expect(result).toMatchObject({ found: 2, said: expect.stringContaining('--resume <id>') });
  });

  it('says so where there is no conversation', async () => {
    expect(await resumed(true)).toMatchObject({ found: 0, said: expect.stringContaining('yet') });
  });
});
