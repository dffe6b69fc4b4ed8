import { expect, it } from '@jest/globals';
import { describeConflict } from '../../src/write-session-service/describe-conflict.ts';

it('a conflict without a session that holds the target is not said to be an undo for certain', () => {
  const conflict = { kind: 'conflict', lock: 'target', holders: [], maxConcurrent: 3 } as const;
  expect(describeConflict(conflict, () => true)).toEqual({
    lock: 'target',
    reason: expect.stringMatching(/being undone, or too many write sessions begin and end/),
  });
});
