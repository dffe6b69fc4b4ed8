/** Covers the tool that finds what was said earlier: what it looks for, and what it shows. */
import { describe, expect, it } from '@jest/globals';
import type { RecalledText, RecallQuery } from '../../../src/db/conversations/recall-repository.ts';
import { createSearchConversationTool } from '../../../src/tools/search/search-conversation.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { partOf } from '../../support/part-of.ts';

const context = partOf<ToolContext>({ turnId: 't9', projectId: 'p' });
const place = (content: string, more: Partial<RecalledText> = {}): RecalledText => ({
  turnId: 't1',
  startedAt: new Date('2026-01-02T03:04:05Z'),
  kind: 'user',
  content,
  call: null,
  ...more,
});

const search = async (input: object, texts: readonly RecalledText[] = [], isWhole = true) => {
  const asked: RecallQuery[] = [];
  const tool = createSearchConversationTool((query) => {
    asked.push(query);
    return Promise.resolve({ texts, searchedTurns: 7, isWhole });
  });
  const outcome = await tool.execute(tool.input.parse(input), context);
  return { asked: asked[0], outcome };
};

describe('ConversationTool_search', () => {
  it('searches the branch of its turn for words, in lower case, each once', async () => {
    const { asked } = await search({ query: ' The *PORT* of `db`, the port: 5432? src/a.ts ' });
    expect(asked).toEqual({
      turnId: 't9',
      projectId: 'p',
      words: ['the', 'port', 'of', 'db', '5432', 'src/a.ts'],
      limit: 5,
    });
    expect((await search({ query: 'a '.repeat(400) + 'b'.repeat(200) })).asked?.words).toEqual([
      'a',
      'b'.repeat(100),
    ]);
  });

  it.each([{ query: '  ?! ' }, { query: 'x'.repeat(1_001) }, { query: 'x', limit: 11 }, {}])(
    'refuses %j',
    (input) => {
      const tool = createSearchConversationTool(() => Promise.reject(new Error('not asked')));
      expect(tool.input.safeParse(input).success).toBe(false);
    },
  );

  it('shows turn, time, place and the text around the word that is rarest in it', async () => {
    const text = `${'the port '.repeat(200)}is 7443 ${'and more '.repeat(200)}`;
    const call = { name: 'Files_read', arguments: JSON.stringify({ path: 'a'.repeat(200) }) };
    const { outcome } = await search({ query: 'the port 7443' }, [
      place(text),
      place('It is 7443.', { kind: 'result', call }),
      place('no 7443 here', { kind: 'orion' }),
    ]);
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        matches: [
          { turn: 't1', at: '2026-01-02T03:04Z', place: 'message of the user' },
          { place: expect.stringMatching(/^result of Files_read \{"path":"a+…$/), text: 'It is 7443.' },
          { place: 'answer', text: 'no 7443 here' },
        ],
      },
    });
    expect(JSON.stringify(outcome)).toMatch(/…[^…]{0,130}is 7443 [^…]+…/);
  });

  it('finds the word in a text whose lower case is longer', async () => {
    const { outcome } = await search({ query: 'needle' }, [
      place(`${'İ'.repeat(2_000)} needle ${'x'.repeat(900)}`),
    ]);
    expect(JSON.stringify(outcome)).toContain('needle');
  });

  it('never answers more than 8 KiB, whatever is found', async () => {
    const evil = ['\u0000"\\\n', '\u6f22\u5b57', '\ud83d\ude00', 'x'].map((text) => text.repeat(50_000));
    const call = { name: 'n'.repeat(60), arguments: '"'.repeat(9_000) };
    const found = Array.from({ length: 10 }, (_, i) =>
      place(`${evil[i % 4]}word${evil[i % 4]}`, { kind: 'result', call, turnId: 't'.repeat(128) }),
    );
    const { outcome } = await search({ query: 'word', limit: 10 }, found, false);
    expect(Buffer.byteLength(JSON.stringify(outcome))).toBeLessThanOrEqual(8 * 1_024);
    expect(JSON.stringify(outcome)).toContain('Only the newest 7 turns were searched.');
  });

  it('says so when the database does not answer in time, and may be called again', async () => {
    const late = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    const tool = createSearchConversationTool(() => Promise.reject(late));
    expect(await tool.execute({ query: 'x', limit: 1 }, context)).toMatchObject({
      ok: false,
      isTransient: true,
    });
  });
});
