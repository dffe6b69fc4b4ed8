/** Tests what the terminal shows of a command that a turn runs. */
import { expect, it } from '@jest/globals';
import { FakeGateway } from './support/fake-gateway.ts';
import { TerminalCli } from './support/terminal-cli.ts';

it('a person sees of a command its newest lines while it runs, and its end afterwards', async () => {
  const gateway = await FakeGateway.start();
  const cli = new TerminalCli({ url: gateway.url, columns: 100, rows: 30, args: ['-p', 'first'] });
  try {
    const turn = await gateway.nextTurn();
    const name = 'TerminalTool_run_command';
    const call = { name, arguments: '{"command":"npm test"}' };
    turn.send({ type: 'tool_calls', calls: [{ id: 'c1', type: 'function', function: call }] });
    await cli.shows('running run_command');
    turn.output(`${Array.from({ length: 30 }, (_, i) => `test ${i + 1}\u001B[31m`).join('\n')}\n`);
    const screen = await cli.shows('running run_command "npm test" · test 30');
    expect(screen).toContain(String.raw`  │ test 12\u001b[31m`);
    expect(screen).not.toContain('│ test 13');
    turn.send({ type: 'tool_result', callId: 'c1', name, ok: true, durationMs: 5, bytes: 2 });
    turn.end();
    expect(await cli.ended).toBe(0);
    expect(await cli.terminal.text()).toMatch(
      /│ … 10 lines left out\n(?: {2}│ test \d+.*\n){8}✓ run_command/,
    );
  } finally {
    await cli.stop();
    await gateway.stop();
  }
});
