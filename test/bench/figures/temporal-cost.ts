import type { Arm } from '../arms/arm.ts';
import { ask } from '../arms/ask.ts';
import type { Figure } from '../figure.ts';
import type { Ground } from '../ground.ts';
import { endingAfter } from '../model.ts';
import { atMost, rounded, type Check } from '../report.ts';
import { actionsBetween, readActions, type Actions } from '../server-actions.ts';

const TOKENS = { full: 1000, quick: 100 };
const TOKEN_GAP_MS = 20;
/** The bars of docs/performance.md; the bytes of history may be three times the text plus 12 KiB. */
const BARS = { actions: 16, events: 60, timesText: 3, fixedBytes: 12 * 1024 };
/** A token is about four characters of English text. */
const TOKEN_TEXTS =
  'The workflow keeps every word that was said, and none of it twice. '.match(/.{1,4}/g) ?? [];

const tokens = (count: number) =>
  Array.from({ length: count }, (_, i) => TOKEN_TEXTS[i % TOKEN_TEXTS.length] ?? '').flatMap((text) => [
    { waitMs: TOKEN_GAP_MS },
    { text },
  ]);

interface Cost {
  readonly arm: Arm['name'];
  readonly seconds: number;
  readonly textBytes: number;
  readonly actions: Actions;
  readonly events: number;
  readonly historyBytes: number;
}

/**
 * Returns the cost of one turn. Turns are measured one at a time, because the server counts actions by namespace and
 * not by workflow.
 */
const costOf = async (arm: Arm, { temporal, metricsUrl }: Ground): Promise<Cost> => {
  const { namespace } = temporal.options;
  const before = await readActions(metricsUrl, namespace);
  const { id, pieces, askedAt } = await ask(arm, 'Tell me a long story.');
  const seconds = ((pieces.at(-1)?.at ?? 0) - askedAt) / 1000;
  const workflow = temporal.workflow.getHandle(arm.workflowId?.(id) ?? '');
  await workflow.result();
  const actions = actionsBetween(before, await readActions(metricsUrl, namespace));
  const { historyLength, historySize = 0 } = await workflow.describe();
  const textBytes = Buffer.byteLength(pieces.map(({ text }) => text).join(''));
  return { arm: arm.name, seconds, textBytes, actions, events: historyLength, historyBytes: historySize };
};

const total = (actions: Actions): number => [...actions.values()].reduce((sum, count) => sum + count, 0);

const rowOf = (cost: Cost): string[] => [
  cost.arm,
  rounded(cost.seconds),
  String(cost.textBytes),
  String(total(cost.actions)),
  String(cost.events),
  String(cost.historyBytes),
  `${rounded(cost.historyBytes / cost.textBytes)}×`,
];

const kinds = ({ arm, actions }: Cost): string =>
  `${arm}: ${[...actions].map(([kind, count]) => `${count} ${kind}`).join(', ')}`;

const checksOf = ({ actions, events, historyBytes, textBytes }: Cost): Check[] => {
  return [
    atMost('orion, actions', total(actions), BARS.actions),
    atMost('orion, history events', events, BARS.events),
    atMost('orion, history bytes', historyBytes, BARS.timesText * textBytes + BARS.fixedBytes),
  ];
};

export const temporalCost: Figure = {
  name: 'temporal-cost',
  title: 'Temporal cost of one answer of 1,000 tokens over 20 s',
  async measure({ isQuick, ground }) {
    const started = await ground();
    await started.model.answerAll(endingAfter(tokens(isQuick ? TOKENS.quick : TOKENS.full)));
    const costs: Cost[] = [];
    for (const arm of started.arms) if (arm.workflowId) costs.push(await costOf(arm, started));
    return {
      columns: ['arm', 'seconds', 'text bytes', 'actions', 'events', 'history bytes', '÷ text'],
      rows: costs.map(rowOf),
      checks: costs.filter(({ arm }) => arm === 'orion').flatMap(checksOf),
      notes: costs.map(kinds),
    };
  },
};
