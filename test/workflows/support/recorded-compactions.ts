import type { CompactActivities } from '../../../activities/compact-activities.ts';
import type { CompactReport } from '../../../src/contracts/payload/compact-payloads.ts';

/** A compaction of which a history is stored. */
export interface RecordedCompaction {
  readonly name: string;
  readonly activities: CompactActivities;
}

/** Returns activities whose steps result in these reports, one after the other; an error is thrown once. */
export const scriptedCompaction = (...steps: readonly (CompactReport | Error)[]) => {
  const rest = [...steps];
  const ended: string[] = [];
  const activities: CompactActivities = {
    summarise: () => {
      const next = rest.shift() ?? { kind: 'gone', turns: 0, tokens: 0 };
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    endCompaction: ({ leafTurnId }) => Promise.resolve(void ended.push(leafTurnId)),
  };
  return { activities, ended, left: rest };
};

/**
 * Returns the compactions that are stored: one takes several steps and loses its worker, the other exceeds the budget.
 */
export const recordedCompactions = (): RecordedCompaction[] => {
  const more = { kind: 'more', turns: 12, tokens: 1_800 } as const;
  const lost = new Error('the worker is lost');
  return [
    {
      name: 'three-steps',
      ...scriptedCompaction(more, lost, { ...more, turns: 20 }, { kind: 'ready', turns: 25, tokens: 1_900 }),
    },
    { name: 'over-budget', ...scriptedCompaction({ kind: 'over_budget', turns: 0, tokens: 0 }) },
  ];
};
