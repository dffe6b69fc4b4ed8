import type { Played } from './play-trace.ts';
import type { AgentTrace } from './trace.ts';

/** The verdict on one trace, by what the trace expects. */
export interface Score {
  readonly id: string;
  readonly family: string;
  readonly label: AgentTrace['label'];
  /** Whether model calls and characters stayed within the limits of the trace. */
  readonly hasEnded: boolean;
  /** The calls that should have run and did not. */
  readonly harm: readonly string[];
  /** The calls that ran although they should have been refused. */
  readonly spared: readonly string[];
  /**
   * Whether a turn was ended by force although the trace should end with an answer; false if calls were harmed, too.
   */
  readonly isCutShort: boolean;
  readonly modelCalls: number;
}

/** Parses `a`, `p#3`, `p#1-5` or `p#6+` into a key and the numbers of its calls from first to last. */
const parseRange = (text: string): { key: string; first: number; last: number | undefined } => {
  const [, key = text, first = '1', sign, last] = /^(.*?)#(\d+)(?:(\+)|-(\d+))?$/.exec(text) ?? [];
  if (key === text) return { key, first: 1, last: undefined };
  return { key, first: Number(first), last: sign ? undefined : Number(last ?? first) };
};

const missed = (played: Played, range: string): boolean => {
  const { key, first, last } = parseRange(range);
  const all = played.ranByKey.get(key) ?? [];
  const wanted = all.slice(first - 1, last);
  return wanted.length < (last ?? first) - first + 1 || wanted.includes(false);
};

const ran = (played: Played, range: string): boolean => {
  const { key, first, last } = parseRange(range);
  return (played.ranByKey.get(key) ?? []).slice(first - 1, last).includes(true);
};

export const scoreTrace = ({ id, family, label, expect }: AgentTrace, played: Played): Score => {
  const harm = expect.executed.filter((range) => missed(played, range));
  const { maxChars = Number.POSITIVE_INFINITY, maxModelCalls } = expect;
  return {
    id,
    family,
    label,
    hasEnded: played.modelCalls <= maxModelCalls && played.characters <= maxChars,
    harm,
    spared: expect.refused.filter((range) => ran(played, range)),
    isCutShort: harm.length === 0 && expect.ends === 'answer' && played.isForced,
    modelCalls: played.modelCalls,
  };
};

/** Returns a table with one line for each family and label. */
export const tableOf = (scores: readonly Score[]): string => {
  const rows = Map.groupBy(scores, ({ family, label }) => `${family.padEnd(24)}${label.padEnd(8)}`);
  const count = (list: readonly Score[], test: (score: Score) => boolean): string =>
    String(list.filter(test).length).padStart(8);
  const lines = [...rows].map(
    ([name, list]) =>
      name +
      String(list.length).padStart(6) +
      count(list, ({ hasEnded }) => hasEnded) +
      count(list, ({ harm }) => harm.length > 0) +
      count(list, ({ isCutShort }) => isCutShort) +
      count(list, ({ spared }) => spared.length > 0),
  );
  const head = `${'family'.padEnd(24)}${'label'.padEnd(8)}traces   ended  harmed     cut  spared`;
  return [head, ...lines].join('\n');
};
