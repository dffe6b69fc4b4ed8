/** Proves that schedules.test.ts finds errors: a world without one rule of docs/events.md must break an invariant. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { modelParts } from './schedule/model-parts.ts';
import { RULES, RULE_NAMES, rulesWithout, type Rule } from './schedule/rules.ts';
import { EventWorld } from './schedule/event-world.ts';
import { logLine } from '../support/test-log.ts';

const MAX_SCHEDULES = 20_000;

interface Catch {
  readonly seed: number;
  readonly broken: string[];
}

/** Returns the first schedule that breaks the invariant which docs/events.md names for a world without this rule. */
const firstViolation = (rule: Rule): Catch | undefined => {
  const rules = rulesWithout(rule);
  const parts = modelParts(rules);
  for (let seed = 1; seed <= MAX_SCHEDULES; seed += 1) {
    const broken = new EventWorld(seed, rules, parts).run();
    if (broken.includes(RULES[rule].breaks)) return { seed, broken };
  }
  return undefined;
};

describe('leaving out a rule is caught', () => {
  const lines: string[] = [];

  it.each(RULE_NAMES.map((rule) => [rule, RULES[rule].rule] as const))(
    '%s: %s',
    (rule) => {
      const caught = firstViolation(rule);
      lines.push(
        `without ${rule}: schedule ${caught?.seed ?? 'none'} breaks "${caught?.broken.join('", "') ?? 'nothing'}"`,
      );
      expect(caught).toBeDefined();
    },
    60_000,
  );

  afterAll(() => {
    logLine(lines.join('\n'));
  });
});
