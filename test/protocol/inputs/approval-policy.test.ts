/** Covers which calls need a person (docs/inputs.md "Policy"). */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ApprovalMode,
  type ApprovalPolicy,
  allowsEverything,
} from '../../../src/contracts/inputs/approvals.ts';
import { checkCall } from '../../../src/protocol/calls/checked-call.ts';
import { approvalModeOf } from '../../../src/protocol/inputs/approval-policy.ts';
import { matchesGlob } from '../../../src/protocol/inputs/glob.ts';
import { declareTool, ScriptedTools, toolCall } from '../../support/fake-ports.ts';
import { growthOf } from '../../support/growth.ts';

const call = (name: string, args: unknown = {}) => {
  const tools = new ScriptedTools();
  const scope = { describe: (tool: string) => tools.describe(tool), projectId: 'p' };
  const checkedCall = checkCall(toolCall(name, args), scope);
  if (!checkedCall) throw new Error('expected a complete call');
  return checkedCall;
};

const modeOf = (policy: Partial<ApprovalPolicy>, name: string, args?: unknown) =>
  approvalModeOf({ rules: [], setting: 'never', ...policy }, call(name, args));

/** Matches the same globs by a regular expression, which short texts cannot make slow. */
const byExpression = (glob: string, text: string): boolean => {
  const source = glob.replaceAll(/\*\*+|\*|\?|[^*?]/gu, (part) => {
    if (part === '?') return '[^/]';
    if (part === '*') return '[^/]*';
    return part.startsWith('*') ? '[^]*' : part.replace(/[.\\/]/, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, 'u').test(text);
};

describe('matchesGlob', () => {
  it('matches what a regular expression of the same meaning matches', () => {
    const glob = fc.array(fc.constantFrom('*', '**', '?', 'a', 'b', '/', '.'), { maxLength: 8 });
    const text = fc.array(fc.constantFrom('a', 'b', '/', '.', '😀'), { maxLength: 10 });
    fc.assert(
      fc.property(glob, text, (parts, characters) => {
        const [pattern, name] = [parts.join(''), characters.join('')];
        expect(matchesGlob(pattern, name)).toBe(byExpression(pattern, name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes linear time for any text: about eight times as long for eight times the length', async () => {
    const worst = `${'*a'.repeat(127)}b`;
    const match = (text: string): void => expect(matchesGlob(worst, text)).toBe(false);
    // A quadratic search would take 64 times as long.
    expect(await growthOf(match, { small: 'a'.repeat(8_192), large: 'a'.repeat(65_536) })).toBeLessThan(24);
  });
});

describe('approvalModeOf', () => {
  it.each([
    ['never', 'Files_read', 'allow'],
    ['never', 'Files_write', 'allow'],
    ['writes', 'Files_read', 'allow'],
    ['writes', 'Job_status', 'allow'],
    ['writes', 'Files_write', 'ask'],
    ['writes', 'Nobody_knows', 'ask'],
    ['all', 'Files_read', 'ask'],
  ] as const)('%s: %s is %s', (setting, name, mode) => {
    expect(modeOf({ setting }, name)).toBe(mode);
  });

  it('lets the first rule that matches decide, before the setting', () => {
    const rules = [
      { tool: 'Files_*', arguments: { path: 'docs/**' }, mode: 'allow' },
      { tool: 'Files_*', arguments: { path: '**/.*' }, mode: 'deny' },
      { tool: 'Files_write', mode: 'ask' },
    ] as const;
    const decided = ['docs/a/b.md', './docs/x/../a.md', 'src/.env', 'src/a.ts'].map((path) =>
      modeOf({ rules, setting: 'all' }, 'Files_write', { path }),
    );
    expect(decided).toEqual(['allow', 'allow', 'deny', 'ask']);
    expect(modeOf({ rules, setting: 'never' }, 'Mail_send', { path: 'docs/a' })).toBe('allow');
  });

  it('matches no argument that a call does not have, and others by their JSON', () => {
    const rule = (arguments_: Record<string, string>) =>
      modeOf({ rules: [{ tool: '**', arguments: arguments_, mode: 'deny' }] }, 'Mail_send', {
        to: ['a', 'b'],
        n: 7,
      });
    expect([{ cc: '**' }, { toString: '**' }, { n: '7' }, { to: '["a",*' }].map(rule)).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
    ]);
  });

  it('applies `path` to every path of a call: one match is enough to stop it, and all must match to allow it', () => {
    const declaration = declareTool('Files_move', 'write', { pathArguments: ['from', 'to'] });
    const decided = (mode: ApprovalMode, to: string) =>
      approvalModeOf(
        { rules: [{ tool: '*', arguments: { path: 'infra/**' }, mode }], setting: 'all' },
        { declaration, arguments: { from: 'infra/a', to } },
      );
    expect(decided('deny', 'src/a')).toBe('deny');
    expect(decided('allow', 'src/a')).toBe('ask');
    expect(decided('allow', 'infra/b')).toBe('allow');
  });

  it.each([
    ['allow', 'docs/a.md', 'allow'],
    ['allow', 'docs/a..b/..c', 'allow'],
    ['allow', 'docs/../infra/x', 'ask'],
    ['allow', String.raw`docs/..\infra`, 'ask'],
    ['allow', ['docs/a', 'docs/..'], 'ask'],
    ['deny', './docs/x', 'deny'],
    ['deny', 'infra/../docs//x', 'deny'],
    ['deny', 'docs/../infra/x', 'deny'],
  ] as const)('%s: an argument that is no declared path, %j, is held to be one: %s', (mode, uri, decided) => {
    const rules = ['docs/**', '["docs/**'].map((glob) => ({ tool: '*', arguments: { uri: glob }, mode }));
    expect(modeOf({ rules, setting: 'all' }, 'Mail_send', { uri })).toBe(decided);
  });

  it('is only made stricter by what a request asks for', () => {
    const settings = fc.constantFrom('never' as const, 'writes' as const, 'all' as const);
    const modes = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
    const strictness = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(
        settings,
        settings,
        fc.array(modes, { maxLength: 2 }),
        fc.constantFrom('Files_read', 'Files_write'),
        (setting, requested, ruled, name) => {
          const rules = ruled.map((mode) => ({ tool: '*', mode }));
          const before = modeOf({ rules, setting }, name);
          const after = modeOf({ rules, setting, requested }, name);
          expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
          if (requested === 'all') expect(after).not.toBe('allow');
          if (allowsEverything({ rules, setting, requested })) expect(after).toBe('allow');
        },
      ),
    );
  });
});

describe('commands', () => {
  const declaration = declareTool('TerminalTool_run_command', 'write', {
    pathArguments: ['cwd'],
    runsCommand: true,
    needsApproval: 'unless_allowed',
  });
  const decided = (policy: Partial<ApprovalPolicy>, command: string, cwd = '.') =>
    approvalModeOf(
      { rules: [], setting: 'never', ...policy },
      { declaration, arguments: { command, cwd, timeout_s: 120 } },
    );
  const allowing = (arguments_?: Record<string, string>, tool = '*') => ({
    rules: [{ tool, mode: 'allow' as const, ...(arguments_ && { arguments: arguments_ }) }],
  });

  it.each(['never', 'writes', 'all'] as const)('are asked about whatever the setting is: %s', (setting) => {
    expect(decided({ setting }, 'git status')).toBe('ask');
  });

  it('are allowed by a rule that names them', () => {
    expect(decided(allowing({ command: 'git *' }), 'git status')).toBe('allow');
    expect(decided(allowing({ command: 'git *' }), 'npm test')).toBe('ask');
    expect(decided({ ...allowing({ command: 'git *' }), requested: 'writes' }, 'git status')).toBe('ask');
  });

  it.each([
    'git status; rm -r .',
    'git status\nrm -r .',
    'git status\rrm -r .',
    'git status & rm -r .',
    'git status && rm -r .',
    'git status || rm -r .',
    'git log | sh',
    'git log > src',
    'git log < secrets',
    'git $(rm -r .)',
    'git `rm -r .`',
    'git ${x}',
    'git (rm)',
    'git {rm,-r,.}',
    'git {a}',
  ])('that consist of several are allowed by no rule: %j', (command) => {
    for (const glob of ['git *', '**', 'git **', command.replaceAll(/[*?]/g, '?')]) {
      expect(decided(allowing({ command: glob }), command)).toBe('ask');
    }
  });

  it('are stopped by a rule, however they are composed', () => {
    const rules = [{ tool: '*', arguments: { command: '**rm **' }, mode: 'deny' as const }];
    expect(decided({ rules }, 'git status; rm -r .')).toBe('deny');
  });

  it('are not allowed by a rule about something else', () => {
    expect(decided(allowing(), 'ls')).toBe('ask');
    expect(decided(allowing(undefined, 'TerminalTool_*'), 'ls')).toBe('ask');
    expect(decided(allowing({ path: 'docs/**' }), 'ls', 'docs/a')).toBe('ask');
    expect(decided(allowing({ cwd: 'docs/**' }), 'ls', 'docs/a')).toBe('ask');
    expect(decided(allowing({ command: 'ls', cwd: 'docs/**' }), 'ls', 'docs/a')).toBe('allow');
    expect(decided(allowing({ command: 'ls', cwd: 'docs/**' }), 'ls', 'src')).toBe('ask');
  });

  it('can be the only calls that a turn asks about', () => {
    expect(allowsEverything({ rules: [], setting: 'never' })).toBe(true);
    expect(allowsEverything({ rules: [], setting: 'never', mayAsk: true })).toBe(false);
  });
});
