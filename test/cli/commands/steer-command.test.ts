/** Tests how a person sends a message into a running turn from another terminal. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { runSteer } from '../../../src/cli/commands/steer-command.ts';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { createGatewayClient } from '../../../src/cli/http/gateway-client.ts';
import { GatewayRefusedError } from '../../../src/cli/http/gateway-failures.ts';
import { createTurnClient } from '../../../src/cli/http/turn-client.ts';
import { WorkersMissingError } from '../../../src/temporal/temporal-unavailable.ts';
import { partOf } from '../../support/part-of.ts';
import { useGatewayWorld } from '../support/gateway.ts';

const world = useGatewayWorld();
const shown: string[] = [];

beforeEach(async () => {
  shown.length = 0;
  await world().post('/api/turns', { projectId: 'p', content: 'hi', requestId: 'of:p' });
});

describe('orion steer', () => {
  const steer = (messageId?: string) =>
    runSteer(
      partOf<CliContext>({
        turns: createTurnClient(createGatewayClient({ url: world().url, apiKey: undefined })),
        retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
        screen: { report: (line: string) => void shown.push(line) },
        printsJson: false,
      }),
      { name: 'steer', turnId: 'of:p', content: 'hello', when: 'boundary', mayQueue: false, messageId },
    );

  it('prints the id of a message whose outcome is unknown, and sends it again once with the same id', async () => {
    world().steers.failure = new WorkersMissingError(new Error('lost'));
    await expect(steer()).rejects.toThrow(GatewayRefusedError);
    const [, id] =
      /^The turn may have it\. To say it again, once: --id (\S+)$/.exec(shown.at(-1) ?? '') ?? [];
    world().steers.failure = undefined;
    expect(await steer(id)).toBe(0);
    expect(await steer(id)).toBe(0);
    expect(world().steers.accepted).toMatchObject([{ messageId: id, content: 'hello' }]);
  });

  it('prints no id of a message that was refused', async () => {
    world().steers.close('of:p');
    await expect(steer()).rejects.toThrow(GatewayRefusedError);
    expect(shown).toEqual([]);
  });
});
