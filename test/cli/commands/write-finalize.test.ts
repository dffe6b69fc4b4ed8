import { expect, it } from '@jest/globals';
import type { CliContext } from '../../../src/cli/command-context/cli-context.ts';
import { runWriteFinalize } from '../../../src/cli/commands/write-finalize.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../../../src/cli/http/gateway-failures.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { partOf } from '../../support/part-of.ts';

const STATUS = { operation: 'overwrite', target_file: 'long.txt', target_bytes: 24, draft_bytes: 6 } as const;

/** Runs `orion write finalize --draft` in a gateway that answers the status with each of these, and then the last. */
const finalizeDraft = async (
  ...answers: readonly (Error | (Omit<typeof STATUS, 'target_bytes'> & { target_bytes?: 24 }))[]
) => {
  const lines: string[] = [];
  let finalized = 0;
  const waiting = [...answers];
  const report = (line: string): void => void lines.push(line);
  const context = partOf<CliContext>({
    retry: { attempts: 3, delayMs: 0, sleep: () => Promise.resolve(), report },
    screen: { report },
    keptSessions: { remove: () => Promise.resolve() },
    writeSessions: {
      readStatus: () => {
        const answer = waiting.length > 1 ? waiting.shift() : waiting[0];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? STATUS);
      },
      finalizeDraft: () => {
        finalized += 1;
        return Promise.resolve({ results: [] });
      },
    },
  });
  const code = await runWriteFinalize(context, {
    name: 'write finalize',
    sessionId: 's',
    source: { kind: 'draft', isForced: false },
  });
  return { code, finalized, lines };
};

const away = new GatewayUnreachableError('http://gateway', new Error('ECONNREFUSED'));

it('a draft does not replace a longer file because the gateway was away when it was asked for the size', async () => {
  expect(await finalizeDraft(away, STATUS)).toEqual({
    code: EXIT.failed,
    finalized: 0,
    lines: [expect.stringContaining('(attempt 1/3)'), expect.stringContaining('long.txt has 24 bytes')],
  });
});

it('a draft is not finalized when its size cannot be found out', async () => {
  expect(await finalizeDraft(away)).toMatchObject({ code: EXIT.unreachable, finalized: 0 });
});

it('a draft that was committed before counts as written', async () => {
  const refusal = new GatewayRefusedError(404, {
    error: 'There is no such write session.',
    code: 'session_not_found',
    details: { stage: 'committed' },
  });
  expect(await finalizeDraft(refusal)).toMatchObject({ code: EXIT.done, finalized: 1 });
});

it('a draft does not replace a file whose size cannot be read', async () => {
  const { target_bytes: _, ...status } = STATUS;
  expect(await finalizeDraft(status)).toEqual({
    code: EXIT.failed,
    finalized: 0,
    lines: ['long.txt cannot be read, and the draft would replace it. Add --force to write it all the same.'],
  });
});
