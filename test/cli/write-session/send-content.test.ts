import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { finalizeWithFile } from '../../../src/cli/write-session/send-content.ts';
import { partOf } from '../../support/part-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-send-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file that cannot be read', () => {
  it.each([
    ['missing', join(folder, 'missing'), 'ENOENT'],
    ['a folder', folder, 'not a regular file'],
    ['a device', '/dev/null', 'not a regular file'],
  ])(
    '%s: its name and the reason are told, and nobody calls that a gateway away',
    async (_, path, reason) => {
      const said: string[] = [];
      const retry = {
        attempts: 2,
        delayMs: 1,
        sleep: () => Promise.resolve(),
        report: (s: string) => said.push(s),
      };
      const putContent = (): Promise<never> => Promise.reject(new Error('nothing is to be sent'));
      const writeSessions = partOf<Parameters<typeof finalizeWithFile>[0]['writeSessions']>({ putContent });
      const result = await finalizeWithFile({ writeSessions, retry }, 's', path);
      expect(result).toEqual({
        kind: 'failed',
        failure: {
          kind: 'refused',
          line: expect.stringMatching(new RegExp(`^Cannot read ${path}: .*${reason}`)),
          exitCode: EXIT.failed,
        },
      });
      expect(said).toEqual([]);
    },
  );
});
