import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeGateway } from '../support/fake-gateway.ts';
import { runOrion } from '../../support/orion-cli.ts';
import { TerminalCli } from '../support/terminal-cli.ts';

describe('`orion sessions delete`', () => {
  let gateway: FakeGateway;
  let opened: TerminalCli | undefined;
  const DELETE = ['sessions', 'delete', 'c1'];
  const open = (...options: readonly string[]): TerminalCli => {
    opened = new TerminalCli({ url: gateway.url, args: [...DELETE, ...options] });
    return opened;
  };
  const deletions = (): readonly string[] =>
    gateway.requests.filter((request) => request.startsWith('DELETE'));

  beforeEach(async () => {
    gateway = await FakeGateway.start({
      'DELETE /api/conversations/c1': { status: 204, body: null },
    });
  });
  afterEach(async () => {
    await opened?.stop();
    opened = undefined;
    await gateway.stop();
  });

  it('removes nothing when the user answers no', async () => {
    const cli = open();
    await cli.shows('Remove c1 with all that was said and done in it? [y/N]');
    cli.type('n\r');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual([]);
  });

  it('removes the conversation when the user answers yes', async () => {
    const cli = open();
    await cli.shows('Remove c1 with all that was said and done in it? [y/N]');
    cli.type('y\r');
    await cli.shows('The conversation c1 is removed.');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual(['DELETE /api/conversations/c1']);
  });

  it('removes the conversation without a question with --yes', async () => {
    const cli = open('--yes');
    await cli.shows('The conversation c1 is removed.');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual(['DELETE /api/conversations/c1']);
  });

  it('needs --yes where there is no terminal, and does not read the reply from stdin', async () => {
    const asked = await runOrion(DELETE, { url: gateway.url, input: 'y\n' });
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(deletions()).toEqual([]);
    const told = await runOrion([...DELETE, '--yes'], { url: gateway.url });
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining('is removed') });
    expect(deletions()).toEqual(['DELETE /api/conversations/c1']);
  });
});
