import { expect, it } from '@jest/globals';
import { createRandom } from '../bench/random.ts';
import { cachedShares } from '../support/generated-conversation.ts';

it('prompts of 300 generated turns share at least 95 % with the one before in their mode', async () => {
  const { transcripts, before } = await cachedShares(300, createRandom(1));
  expect(transcripts.prompts).toBe(before.prompts);
  expect(transcripts.shared).toBeGreaterThan(0.95);
  expect(transcripts.cached).toBeGreaterThan(0.95);
  expect(before.cached).toBeLessThan(0.75);
  expect(transcripts.anchors).toBeLessThan(40);
});
