/** Tests what a file or pipe receives that is both stdout and stderr of the command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FakeGateway } from './support/fake-gateway.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await FakeGateway.start();
});
afterEach(() => gateway.stop());

/** Runs `orion -p go` with the redirections of a shell, and returns what its stdout and stderr have received. */
const outputOf = async (redirections: string) => {
  const command = `exec "$0" "$1" -p go ${redirections}`;
  const env = { ...process.env, NODE_OPTIONS: '', ORION_URL: gateway.url };
  const child = spawn('sh', ['-c', command, process.execPath, main], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outputs = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const turn = await gateway.nextTurn();
  turn.say('I look at it.');
  turn.send({ type: 'phase', phase: 'tool', index: 1, cycle: 1 });
  turn.send({ type: 'chunk', content: 'The limit is reached.\n', notice: 'cycle_limit' });
  turn.say('The answer.');
  turn.end();
  const [stdout, stderr] = await outputs;
  return { stdout, stderr };
};

it('has every message in a line of its own', async () => {
  expect(await outputOf('2>&1')).toEqual({
    stdout: 'I look at it.\nThe limit is reached.\nThe answer.\n',
    stderr: '',
  });
});

it('a separate stdout has only the bytes of the answer', async () => {
  expect(await outputOf('')).toEqual({
    stdout: 'I look at it.The answer.\n',
    stderr: 'The limit is reached.\n',
  });
});
