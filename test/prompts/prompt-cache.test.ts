import { expect, it } from '@jest/globals';
import { createRandom } from '../support/random.ts';
import { cachedShares } from '../support/generated-conversation.ts';
import { logLine } from '../support/test-log.ts';

it('prompts of 300 generated turns share at least 95 % with the previous one of their mode', async () => {
  const { transcripts, before } = await cachedShares(300, createRandom(1));
  const share = ({ shared, cached }: typeof before): string =>
    `${shared.toFixed(3)} shared, ${cached.toFixed(3)} cached`;
  logLine(`prompts of 300 turns: ${share(transcripts)}; in the layout of before ${share(before)}`);
  expect(transcripts.prompts).toBe(before.prompts);
  expect(transcripts.shared).toBeGreaterThan(0.95);
  expect(transcripts.cached).toBeGreaterThan(0.95);
  expect(before.cached).toBeLessThan(0.75);
  expect(transcripts.anchors).toBeLessThan(40);
});
