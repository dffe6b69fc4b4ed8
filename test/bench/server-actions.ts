import { setTimeout as delay } from 'node:timers/promises';

/** The number of billable actions by their kind, as the Temporal server itself counts them. */
export type Actions = ReadonlyMap<string, number>;

const LINE = /^action\{(?<labels>[^}]*)\} (?<count>\S+)$/gm;
const label = (labels: string, name: string): string =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';

/** Sums the server's `action` counters by kind; its own workflows in other namespaces do not count. */
export const parseActions = (metrics: string, namespace: string): Actions => {
  const actions = new Map<string, number>();
  for (const { groups } of metrics.matchAll(LINE)) {
    const { labels = '', count } = groups ?? {};
    if (label(labels, 'namespace') !== namespace) continue;
    const kind = label(labels, 'action_type');
    actions.set(kind, (actions.get(kind) ?? 0) + Number(count));
  }
  return actions;
};

/** The server updates the counters that it shows once a second. */
const SHOWN_AFTER_MS = 2_000;

/** Returns the counts of all actions up to this call. */
export const readActions = async (metricsUrl: string, namespace: string): Promise<Actions> => {
  await delay(SHOWN_AFTER_MS);
  return parseActions(await (await fetch(metricsUrl)).text(), namespace);
};

/** Returns the actions that were added between two readings. */
export const actionsBetween = (before: Actions, after: Actions): Actions =>
  new Map(
    [...after]
      .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
