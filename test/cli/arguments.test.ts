import { describe, expect, it } from '@jest/globals';
import { parseInvocation } from '../../src/cli/args/parse-invocation.ts';

const turnFlags = {
  mode: 'act',
  protocol: undefined,
  model: undefined,
  approve: undefined,
  autoReply: undefined,
  maxCycles: 25,
  conversation: undefined,
  continuesNewest: false,
  resume: false,
};
const id = '3f8b0f0e-6d5c-4f6e-9a55-0f6e2c1d7a90';

const commandOf = (line: string): unknown => {
  const invocation = parseInvocation(line === '' ? [] : line.split(' '));
  return invocation.kind === 'command' ? invocation.command : invocation;
};

describe('commands', () => {
  it.each([
    ['', { name: 'chat', firstMessage: undefined, turnFlags, format: 'text' }],
    [
      '--output-format stream-json',
      { name: 'chat', firstMessage: undefined, turnFlags, format: 'stream-json' },
    ],
    ['--json', { name: 'chat', firstMessage: undefined, turnFlags, format: 'json' }],
    ['-p hello', { name: 'prompt', text: 'hello', turnFlags, format: 'text' }],
    ['-p', { name: 'prompt', text: undefined, turnFlags, format: 'text' }],
    ['-p sessions', { name: 'prompt', text: 'sessions', turnFlags, format: 'text' }],
    ['-p x --json', { name: 'prompt', text: 'x', turnFlags, format: 'json' }],
    ['-p x --output-format stream-json', { name: 'prompt', text: 'x', turnFlags, format: 'stream-json' }],
    [
      '-p x --max-cycles 0',
      { name: 'prompt', text: 'x', turnFlags: { ...turnFlags, maxCycles: 0 }, format: 'text' },
    ],
    [
      '-p x --protocol two-stage',
      { name: 'prompt', text: 'x', turnFlags: { ...turnFlags, protocol: 'two_stage' }, format: 'text' },
    ],
    [
      '-c --mode plan',
      {
        name: 'chat',
        firstMessage: undefined,
        turnFlags: { ...turnFlags, mode: 'plan', continuesNewest: true },
        format: 'text',
      },
    ],
    [
      '--conversation c.1',
      {
        name: 'chat',
        firstMessage: undefined,
        turnFlags: { ...turnFlags, conversation: 'c.1' },
        format: 'text',
      },
    ],
    ['fix the bug', { name: 'chat', firstMessage: 'fix the bug', turnFlags, format: 'text' }],
    [
      'why --approve all',
      { name: 'chat', firstMessage: 'why', turnFlags: { ...turnFlags, approve: 'all' }, format: 'text' },
    ],
    [
      '-p x --answer deny',
      { name: 'prompt', text: 'x', turnFlags: { ...turnFlags, autoReply: 'deny' }, format: 'text' },
    ],
    [
      'why -m large',
      { name: 'chat', firstMessage: 'why', turnFlags: { ...turnFlags, model: 'large' }, format: 'text' },
    ],
    [
      'why --model large',
      { name: 'chat', firstMessage: 'why', turnFlags: { ...turnFlags, model: 'large' }, format: 'text' },
    ],
    [
      '--resume',
      { name: 'chat', firstMessage: undefined, turnFlags: { ...turnFlags, resume: true }, format: 'text' },
    ],
    [
      '--resume c1',
      { name: 'chat', firstMessage: undefined, turnFlags: { ...turnFlags, resume: 'c1' }, format: 'text' },
    ],
    [
      '-p x --resume c1',
      { name: 'prompt', text: 'x', turnFlags: { ...turnFlags, resume: 'c1' }, format: 'text' },
    ],
    ['stop using tabs', { name: 'chat', firstMessage: 'stop using tabs', turnFlags, format: 'text' }],
    ['-- stop', { name: 'chat', firstMessage: 'stop', turnFlags, format: 'text' }],
    ['-- sessions', { name: 'chat', firstMessage: 'sessions', turnFlags, format: 'text' }],
    [
      '--mode plan -- -v',
      { name: 'chat', firstMessage: '-v', turnFlags: { ...turnFlags, mode: 'plan' }, format: 'text' },
    ],
    ['attach -- t1', { name: 'attach', turnId: 't1', format: 'text', ownership: 'watch' }],
    ['attach t1 --json', { name: 'attach', turnId: 't1', format: 'json', ownership: 'watch' }],
    ['attach --own', { name: 'attach', turnId: undefined, format: 'text', ownership: 'own' }],
    [
      '-p x --instead-of t1',
      { name: 'prompt', text: 'x', turnFlags: { ...turnFlags, insteadOf: 't1' }, format: 'text' },
    ],
    ['retry', { name: 'retry', turnId: undefined, turnFlags, format: 'text' }],
    [
      'retry t1 --mode plan',
      { name: 'retry', turnId: 't1', turnFlags: { ...turnFlags, mode: 'plan' }, format: 'text' },
    ],
    ['sessions delete c1', { name: 'sessions delete', conversationId: 'c1', isSure: false }],
    ['sessions delete c1 --yes', { name: 'sessions delete', conversationId: 'c1', isSure: true }],
    ['cancel', { name: 'cancel', turnId: undefined }],
    ['trace', { name: 'trace', turnId: undefined }],
    ['cancel t1', { name: 'cancel', turnId: 't1' }],
    ['waiting', { name: 'waiting', inputId: undefined }],
    ['waiting t:1/2', { name: 'waiting', inputId: 't:1/2' }],
    [
      'reply t/1 edit --arguments a.json',
      {
        name: 'reply',
        inputId: 't/1',
        reply: 'edit',
        note: undefined,
        content: undefined,
        ok: true,
        argumentsFile: 'a.json',
      },
    ],
    ['sessions', { name: 'sessions' }],
    ['trace t1', { name: 'trace', turnId: 't1' }],
    [
      'write begin --target a/b --operation append --intent why',
      { name: 'write begin', target: 'a/b', operation: 'append', intent: 'why' },
    ],
    [`write finalize ${id}`, { name: 'write finalize', sessionId: id, source: { kind: 'stdin' } }],
    [
      `write finalize ${id} --draft`,
      { name: 'write finalize', sessionId: id, source: { kind: 'draft', isForced: false } },
    ],
    [
      `write finalize ${id} --file f`,
      { name: 'write finalize', sessionId: id, source: { kind: 'file', path: 'f' } },
    ],
    [`write status ${id}`, { name: 'write status', sessionId: id }],
    [`write undo ${id}`, { name: 'write undo', sessionId: id }],
    ['write recover', { name: 'write recover', sessionId: undefined }],
    ['config', { name: 'config' }],
    ['complete -- --mo', { name: 'completion' }],
  ])('orion %s', (line, command) => {
    expect(commandOf(line)).toEqual(command);
  });
});

describe('flags of every command', () => {
  it.each([
    '--url http://h:1/ --project p --json -v sessions',
    'sessions --url http://h:1 --project p --json -v',
  ])('stand before or after it: %s', (line) => {
    expect(parseInvocation(line.split(' '))).toMatchObject({
      flags: { url: 'http://h:1', project: 'p', printsJson: true, isVerbose: true },
    });
  });
});

describe('usage errors end with 2 and name what is wrong', () => {
  it.each([
    ['--max-cycles 51', 'an integer from 0 to 50'],
    ['--max-cycles 1e1', 'an integer from 0 to 50'],
    ['--project a/b', 'A-Z a-z 0-9'],
    ['--url ftp://x', 'http:// or https://'],
    ['--mode both', 'plan, act'],
    ['--protocol three', 'two_stage or standard'],
    ['-p x --output-format xml', 'stream-json'],
    ['sesions', 'Did you mean `orion sessions`? As a message to the model: orion -- sesions'],
    ['atach t1', 'Did you mean `orion attach`?'],
    ['stop', "there is no command 'stop'\n(Did you mean `orion down`?"],
    ['start --mode plan', 'Did you mean `orion up`?'],
    ['resume 3f8b', 'Did you mean `orion --resume`? As a message to the model: orion -- resume 3f8b'],
    ['exec fix the bug', 'Did you mean `orion -p`?'],
    ['--resume a/b', 'A-Z a-z 0-9'],
    ['write begin --target a', '--operation'],
    ['write begin --target a --operation delete', 'create, overwrite, append'],
    ['write finalize 17', "error: the argument '17' is invalid. Expected the id of a write session (a UUID"],
    ['help nope', "error: there is no command 'nope'\n"],
    ['help atach', "there is no command 'atach'\n(Did you mean `orion attach`?)"],
    [`write finalize ${id} --draft --file f`, 'cannot be used with'],
    ['write', 'Usage: orion write'],
  ])('orion %s', (line, text) => {
    const invocation = parseInvocation(line.split(' '));
    expect(invocation).toMatchObject({ kind: 'text', to: 'stderr', exitCode: 2 });
    expect(invocation.kind === 'text' && invocation.text).toContain(text);
  });

  it.each(['--help', '--version', 'write --help', 'help', 'help attach'])('%s is no error', (line) => {
    expect(parseInvocation(line.split(' '))).toMatchObject({ kind: 'text', to: 'stdout', exitCode: 0 });
  });
});
