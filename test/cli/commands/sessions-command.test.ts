import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeGateway } from '../support/fake-gateway.ts';
import { TerminalCli } from '../support/terminal-cli.ts';

describe('`orion sessions delete`', () => {
  let gateway: FakeGateway;
  let cli: TerminalCli;
  const open = (...options: readonly string[]): void => {
    cli = new TerminalCli({ url: gateway.url, args: ['sessions', 'delete', 'c1', ...options] });
  };
  const deletions = (): readonly string[] =>
    gateway.requests.filter((request) => request.startsWith('DELETE'));

  beforeEach(async () => {
    gateway = await FakeGateway.start({
      'DELETE /api/conversations/c1': { status: 204, body: null },
    });
  });
  afterEach(async () => {
    await cli.stop();
    await gateway.stop();
  });

  it('removes nothing when the user answers no', async () => {
    open();
    await cli.shows('Remove c1 with all that was said and done in it? [y/N]');
    cli.type('n\r');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual([]);
  });

  it('removes the conversation when the user answers yes', async () => {
    open();
    await cli.shows('Remove c1 with all that was said and done in it? [y/N]');
    cli.type('y\r');
    await cli.shows('The conversation c1 is removed.');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual(['DELETE /api/conversations/c1']);
  });

  it('removes the conversation without a question with --yes', async () => {
    open('--yes');
    await cli.shows('The conversation c1 is removed.');
    expect(await cli.ended).toBe(0);
    expect(deletions()).toEqual(['DELETE /api/conversations/c1']);
  });
});
