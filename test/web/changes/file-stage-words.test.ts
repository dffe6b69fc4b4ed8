import { expect, it } from '@jest/globals';
import { fileStageWords } from '../../../src/web/changes/file-stage-words.ts';

it('a write that failed is told from one whose outcome nobody knows', () => {
  expect(fileStageWords({ stage: 'failed', error: 'no space left' })).toBe('not written');
  expect(fileStageWords({ stage: 'failed', error: 'OUTCOME_UNKNOWN: the folder could not be synced' })).toBe(
    'perhaps written',
  );
  expect(fileStageWords({ stage: 'committed' })).toBe('written');
});
