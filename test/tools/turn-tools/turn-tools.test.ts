/** Covers tools that one turn has in addition to those of every turn. */
import { describe, expect, it } from '@jest/globals';
import { clientToolsSchema } from '../../../src/contracts/tools/client-tools.ts';
import { askUserTool } from '../../../src/tools/turn-tools/ask-user.ts';
import { turnToolsOf, withTurnTools } from '../../../src/tools/turn-tools/turn-tools.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner, type ToolRunnerContext } from '../../../src/tools/run/runner.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { MemoryLedger } from '../support/memory-ledger.ts';
import { discardedCopies } from '../support/temp-workspace.ts';

const registry = createToolRegistry([]);
const runner = createToolRunner({
  registry,
  copies: discardedCopies,
  ledger: new MemoryLedger(),
  clock: { now: () => 0 },
});

const context: ToolRunnerContext = {
  turnId: 't',
  phaseIndex: 1,
  position: 0,
  projectId: 'p',
  mode: 'plan',
  signal: new AbortController().signal,
};
const turnTools = turnToolsOf({ mayAskUser: true, client: [] });
const ask = (args: object, more: Partial<ToolRunnerContext> = {}) =>
  runner.execute(toolCall('UserTool_ask', args), { ...context, ...more });

describe('UserTool_ask', () => {
  it('is offered in turns whose client shows questions, and nowhere else', () => {
    const names = (own = turnTools) =>
      withTurnTools(registry, own)
        .definitions('plan')
        .map((tool) => tool.function.name);
    expect(names()).toEqual(['UserTool_ask']);
    expect(names(turnToolsOf({ mayAskUser: false, client: [] }))).toEqual([]);
    expect(withTurnTools(registry, turnTools).describe('ask')).toMatchObject({
      asks: 'question',
      effect: 'read',
    });
  });

  it('is unknown to other turns', async () => {
    expect(await ask({ question: 'Which?' })).toMatchObject({
      success: false,
      error: expect.stringContaining('unknown tool "UserTool_ask"'),
    });
  });

  it('has the answer as its result, cut for the model where it is long', async () => {
    const said = await ask({ question: 'Which?' }, { turnTools, answer: { ok: true, content: 'Blue.' } });
    expect(said).toMatchObject({ success: true, result: { answer: 'Blue.' }, toolName: 'UserTool.ask' });
    let whole: unknown;
    const long = await ask(
      { question: 'What else?' },
      {
        turnTools,
        phaseIndex: 3,
        answer: { ok: true, content: 'x'.repeat(200_000) },
        onOutcome: (outcome) => (whole = outcome.ok ? outcome.result : undefined),
      },
    );
    expect(JSON.stringify(long.result).length).toBeLessThanOrEqual(32 * 1024);
    expect(JSON.stringify(whole).length).toBeGreaterThan(200_000);
  });

  it('fails without an answer', async () => {
    const lost = await ask({ question: 'Which?' }, { turnTools, phaseIndex: 5 });
    expect(lost).toMatchObject({ success: false, error: 'nobody has answered this question' });
  });

  it.each([
    [{}, 'question: expected a string'],
    [{ question: ' ' }, 'question: expected text that is not blank'],
    [{ question: 'x'.repeat(2_001) }, 'question: expected at most 2000 characters'],
    [{ question: 'Which?', options: ['a'] }, 'options: expected at least 2 items'],
    [{ question: 'Which?', options: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 'options: expected at most 6'],
    [{ question: 'Which?', more: 1 }, 'more: expected no such argument'],
  ])('refuses %j', async (args, error) => {
    const refused = await ask(args, { turnTools, phaseIndex: 7 });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining(error) });
  });
});

describe("a client's tool", () => {
  const [readFile, click] = clientToolsSchema.parse([
    { name: 'read_file', description: 'Reads a file of the editor', effect: 'read' },
    { name: 'app_click', description: 'Clicks', parameters: { type: 'object', required: ['n'] } },
  ]);
  if (!readFile || !click) throw new Error('expected two tools');
  const own = turnToolsOf({ mayAskUser: true, client: [readFile, click] });
  const ours = createToolRegistry([askUserTool]);
  const run = (name: string, args: object, more: Partial<ToolRunnerContext> = {}) =>
    runner.execute(toolCall(name, args), { ...context, mode: 'act', turnTools: own, ...more });

  it('is offered as its client has declared it, in the modes that its effect allows', () => {
    const offered = (mode: 'plan' | 'act') =>
      withTurnTools(registry, own)
        .definitions(mode)
        .map((tool) => tool.function.name);
    expect(offered('act')).toEqual(['UserTool_ask', 'app_click', 'read_file']);
    expect(offered('plan')).toEqual(['UserTool_ask', 'read_file']);
    expect(withTurnTools(registry, own).definitions('act')[1]?.function).toEqual({
      name: 'app_click',
      description: 'Clicks',
      parameters: { type: 'object', required: ['n'] },
    });
  });

  it('takes precedence over an alias of Orion', async () => {
    const asking = turnToolsOf({ mayAskUser: false, client: [{ ...click, name: 'ask' }] });
    const seen = withTurnTools(ours, asking);
    expect(seen.describe('ask')).toMatchObject({ name: 'ask', asks: 'client_tool' });
    expect(await seen.find('ask')).toMatchObject({ declaration: { name: 'ask' } });
    expect(seen.describe('UserTool_ask')).toMatchObject({ asks: 'question' });
    const both = withTurnTools(ours, turnToolsOf({ mayAskUser: true, client: [{ ...click, name: 'ask' }] }));
    expect(both.describe('ask')).toMatchObject({ name: 'ask', asks: 'client_tool' });
  });

  it('has the reply of its client as its result, or as its error', async () => {
    const done = await run(
      'app_click',
      { n: 1 },
      { phaseIndex: 9, answer: { ok: true, content: 'clicked' } },
    );
    expect(done).toMatchObject({ success: true, result: 'clicked' });
    const failed = await run(
      'app_click',
      {},
      { phaseIndex: 11, answer: { ok: false, content: 'no window' } },
    );
    expect(failed).toMatchObject({ success: false, error: 'no window' });
    const lost = await run('app_click', {}, { phaseIndex: 13 });
    expect(lost).toMatchObject({ success: false, error: 'the client has not run this call' });
  });

  it.each([
    [{ name: 'FileSystemTool_read_file', description: 'x' }],
    [{ name: 'UserTool_ask', description: 'x' }],
    [{ name: 'mcp__a__b', description: 'x' }],
    [{ name: 'a b', description: 'x' }],
    [{ name: 'a'.repeat(65), description: 'x' }],
    [{ name: 'a', description: ' ' }],
    [{ name: 'a', description: 'x', effect: 'all' }],
    [{ name: 'a', description: 'x', parameters: [] }],
    [{ name: 'a', description: 'x', more: 1 }],
  ])('cannot be declared as %j', (tool) => {
    expect(clientToolsSchema.safeParse([tool]).success).toBe(false);
  });

  it('is declared once, with at most 63 others', () => {
    const many = Array.from({ length: 65 }, (_, n) => ({ name: `t${n}`, description: 'x' }));
    expect(clientToolsSchema.safeParse(many.slice(1)).success).toBe(true);
    expect(clientToolsSchema.safeParse(many).success).toBe(false);
    expect(clientToolsSchema.safeParse([many[0], many[0]]).success).toBe(false);
  });
});
