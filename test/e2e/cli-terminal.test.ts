/** Tests the `orion` command as a process, as people use it: on a terminal, and with any version of Node. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, lastingAnswer } from '../support/fake-model/responses.ts';
import { OrionCli, runOrion, type CliRunOptions } from '../support/orion-cli.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { useCli } from './support/cli-world.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
let options: CliRunOptions;
useCli((world) => void ({ stack, chat, fake, options } = world));

describe('on a terminal', () => {
  const terminal = (args: readonly string[]) => new OrionCli(args, { ...options, hasTerminal: true });

  it('says what it talks to, asks the first question, and goes on with a conversation of a list', async () => {
    fake.rules({ responses: [answer('The answer.')], repeat: true });
    const project = ['--project', randomUUID()];
    const first = terminal(['what', 'is', 'it?', ...project]);
    await first.shows(`workspace ${join(stack.dataDir, 'workspace')}`);
    await first.shows('The answer.');
    await first.shows('turn ');
    await first.shows('> ');
    first.type('\u0004');
    expect(await first.ended).toBe(0);
    const second = terminal(['--resume', ...project]);
    await second.shows('what is it?');
    await second.shows('Which one?');
    second.type('7\r');
    await second.shows('Expected a number from 1 to 1');
    await second.shows('Which one?');
    second.type('1\r');
    await second.shows('> what is it?');
    await second.shows('The answer.');
    await second.shows('> ');
    second.type('and now?\r');
    await second.shows('The answer.');
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('what is it?');
    await second.shows('turn ');
    await second.shows('> ');
    second.type('\u0004');
    await second.ended;
  });

  it('makes no claims about a gateway that does not answer, and says how to start one', async () => {
    const cli = new OrionCli([], { ...options, url: 'http://127.0.0.1:9', hasTerminal: true });
    expect(await cli.ended).toBe(3);
    expect(cli.stdout).not.toContain('Orion at');
    expect(cli.stdout).toContain('`orion up` starts Orion');
  });

  it('converses, completes commands, cancels with Ctrl-C and leaves with the second', async () => {
    fake.script(answer('# Hello\n\nthis is **bold**\n'), lastingAnswer());
    const cli = terminal([]);
    await cli.shows('> ');
    cli.type('hi\r');
    await cli.shows('\u001B[1mbold');
    await cli.shows('> ');
    cli.type('/mo\t');
    await cli.shows('/mode ');
    cli.type('act\r');
    await cli.shows('> ');
    cli.type('long\r');
    await cli.shows('#10@');
    cli.type('\u0003');
    await cli.shows('Cancelling');
    await cli.shows('Cancelled.');
    await cli.shows('> ');
    cli.type('\u0003');
    await cli.shows('Ctrl-C again to leave');
    cli.type('\u0003');
    expect(await cli.ended).toBe(130);
  });

  it('a second Ctrl-C leaves a turn that does not end', async () => {
    fake.rules({ responses: [{ steps: [{ text: 'so' }, { stall: true }] }], repeat: true });
    const cli = terminal(['-p', 'stall']);
    await cli.shows('so');
    // No process is left to end the turn, or to restart one that would.
    const stopped = [...(await stack.pidsOf('supervisor')), ...(await stack.pidsOf('worker'))];
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    cli.type('\u0003');
    await cli.shows('Cancelling');
    cli.type('\u0003');
    const code = await cli.ended;
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    expect(code).toBe(130);
    // The line is longer than the terminal is wide.
    const [, turnId = ''] = /orion attach\s+([\w-]+)/.exec(cli.stdout) ?? [];
    expect(turnId).not.toBe('');
    // Workers continue the turn, which must not meet the script of the next test.
    const ended = await chat.follow(turnId);
    expect(ended.at(-1)?.data).toMatchObject({ type: 'done', status: 'cancelled' });
  });
});

/** The machine's own Node, where it is too old for the sources. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path));

(oldNode === undefined ? describe.skip : describe)('the launcher on the Node of the machine', () => {
  it('passes on arguments, streams, signals and exit codes', async () => {
    fake.script(answer('old'));
    const run = { ...options, ...(oldNode !== undefined && { node: oldNode }) };
    const result = await runOrion(['-p', 'x'], run);
    // The result is compared as a whole, so that a failure shows what the command said on stderr.
    expect(result).toEqual({ ...result, code: 0, stdout: 'old\n' });
    expect((await runOrion(['--nonsense'], run)).code).toBe(2);
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const cli = new OrionCli(['-p', 'x', '--output-format', 'stream-json'], run);
    await cli.shows('#5@');
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(143);
  });
});
