import { cachedShares } from '../../support/generated-conversation.ts';
import type { Figure } from '../figure.ts';
import { rounded } from '../report.ts';

const TURNS = { full: 300, quick: 30 };
/** The bar of docs/performance.md in per cent. */
const BAR = 95;

/**
 * Compares the share of each prompt that a provider with a prefix cache would read from the cache with that under the
 * previous prompt layout, in the same conversation.
 */
export const promptCache: Figure = {
  name: 'prompt-cache',
  title: 'Share of a prompt that the one before in its mode begins with, generated turns (%)',
  async measure({ isQuick, random }) {
    const shares = await cachedShares(isQuick ? TURNS.quick : TURNS.full, random);
    const rows = Object.entries(shares).map(([layout, { prompts, shared, cached, anchors }]) => [
      layout,
      String(prompts),
      rounded(100 * shared),
      rounded(100 * cached),
      String(anchors),
    ]);
    return {
      columns: ['layout', 'N', 'shared', 'read from a cache', 'anchors'],
      rows,
      checks: [
        { what: 'shared', value: 100 * shares.transcripts.shared, bar: BAR, side: 'at least', unit: ' %' },
      ],
    };
  },
};
