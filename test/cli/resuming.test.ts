/** Tests `--resume`: it takes a conversation by its id or by the beginning of its id, or offers a list. */
import { describe, expect, it } from '@jest/globals';
import type { TurnFlags } from '../../src/cli/args/command.ts';
import { resumeConversation } from '../../src/cli/chat/resume-conversation.ts';
import type { CliContext } from '../../src/cli/command-context/cli-context.ts';
import { partOf } from '../support/part-of.ts';

const ids = ['abc-1', 'abd-2', 'abd', 'xyz-3'];
const OLD = 'older-than-the-list';

const resumed = async (resume: TurnFlags['resume'], { isTTY = true, known = ids } = {}) => {
  const said: string[] = [];
  const context = partOf<CliContext>({
    retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
    config: { projectId: 'p' },
    process: { stdin: { isTTY } },
    screen: { report: (line: string) => said.push(line) },
    conversations: {
      list: () =>
        Promise.resolve({ conversations: known.map((conversationId) => ({ conversationId, title: 'why' })) }),
      listMessages: (_project: string, _limit: number, id: string) =>
        Promise.resolve({ messages: [], total: id === OLD ? 2 : 0 }),
    },
  });
  const result = await resumeConversation(context, { resume } as TurnFlags);
  const found = result.kind === 'chosen' ? result.turnFlags.conversation : result.code;
  return { found, said: said.join('\n') };
};

describe('--resume <id>', () => {
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
    expect(await resumed(true, { known: [] })).toMatchObject({
      found: 0,
      said: expect.stringContaining('yet'),
    });
  });
});
