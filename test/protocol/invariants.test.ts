// Tier: pure core. The seven invariants of `two-stage-protocol.ts`, over wild models and tools.
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { type TurnEvent, turnEventSchema } from '../../src/contracts/wire/turn-event.ts';
import { ProtocolExecutionContext } from '../../src/protocol/turn/execution-context.ts';
import { createProtocol } from '../../src/protocol/turn/protocol-registry.ts';
import { runTurn } from '../../src/protocol/turn/turn-protocol.ts';
import type { Counters } from '../../src/protocol/turn/stop-policy.ts';
import type { Turn } from '../../src/protocol/turn/turn.ts';
import { alternate } from '../../src/protocol/turn/two-stage-protocol.ts';
import {
  MOST_CONTINUATIONS,
  MOST_IDLE_PROMPTS,
  MOST_REFUSED_CONTENTS,
} from '../../src/protocol/calls/write-session-run.ts';
import { fakeTurn, type ScriptedTools, textOf } from '../support/fake-ports.ts';
import { arbitraryTurn, modelOf, sessionsOf, toolOf } from './support/arbitrary-turn.ts';

type Settings = typeof arbitraryTurn extends fc.Arbitrary<infer T> ? T : never;

/** What the trace says of an adapter whose `done` does not agree with its chunks. */
const CONTRADICTION = 'the adapter ended with another text than its chunks had';

const TERMINAL = new Set(['done', 'error']);

/** Model calls that the content of one write session may take (I5). */
const PER_SESSION = 1 + MOST_IDLE_PROMPTS + MOST_CONTINUATIONS + MOST_REFUSED_CONTENTS;

/** Bound of I5 for two-stage turns, the contents of write sessions left out. */
const maxModelCalls = ({ budgets: b }: Settings): number =>
  Math.max(
    1,
    b.maxPhaseCycles +
      b.maxDuplicateAttempts +
      Math.floor(b.maxPhaseCycles / 5) +
      b.maxMalformedCalls +
      b.maxRefusals -
      2,
  );

const play = async (settings: Settings, protocol: 'two_stage' | 'standard') => {
  const { budgets, mode, toolResultRole, behaviours, executions, keepings, cancelAfter } = settings;
  let ms = 0;
  const cancellation = { requested: false };
  const model = modelOf(behaviours, () => {
    ms += 1;
    cancellation.requested ||= cancelAfter !== undefined && turn.adapter.calls.length > cancelAfter;
  });
  const turn = fakeTurn({
    model,
    mode,
    cancellation,
    tool: toolOf(executions),
    writeSessions: sessionsOf(keepings),
    clock: { now: () => ms },
    config: { ...budgets, toolResultRole },
  });
  const events: TurnEvent[] = [];
  for await (const event of createProtocol(protocol, turn.context).executeStreaming(turn.context)) {
    events.push(event);
    if (events.length > 20_000) throw new Error('the turn does not end');
  }
  return { ...turn, events };
};

const holds = (
  protocol: 'two_stage' | 'standard',
  check: (played: Awaited<ReturnType<typeof play>>, settings: Settings) => void,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(arbitraryTurn, async (settings) => check(await play(settings, protocol), settings)),
    { numRuns: 60 },
  );

describe.each(['two_stage', 'standard'] as const)('%s, whatever model and tools do', (protocol) => {
  it('I1: exactly one terminal event, the last, and every event fits the contract', () =>
    holds(protocol, ({ events }) => {
      expect(events.filter(({ type }) => TERMINAL.has(type))).toHaveLength(1);
      expect(TERMINAL.has(events.at(-1)?.type ?? '')).toBe(true);
      for (const event of events) turnEventSchema.parse(event);
    }));

  it('I3: phase indexes rise by one from 0', () =>
    holds(protocol, ({ events }) => {
      const indexes = events.flatMap((event) => (event.type === 'phase' ? [event.index] : []));
      expect(indexes).toEqual(indexes.map((_index, i) => i));
    }));

  it('I4: fullContent is the concatenation of the chunks that are no notices, unless an adapter contradicts itself', () =>
    holds(protocol, ({ events, traceService }) => {
      const end = events.at(-1);
      const isContradicted = traceService.records.some(({ summary }) => summary === CONTRADICTION);
      if (end?.type === 'done' && !isContradicted) expect(end.fullContent).toBe(textOf(events));
    }));

  it('I5: the number of model calls is bounded by the budgets', () =>
    holds(protocol, ({ adapter, events }, settings) => {
      const begun = events.filter(
        (event) => event.type === 'write_session' && event.stage === 'begun',
      ).length;
      const most = (protocol === 'standard' ? 5 : maxModelCalls(settings)) + begun * PER_SESSION;
      expect(adapter.calls.length).toBeLessThanOrEqual(most);
    }));

  it('a write session is begun, then written, left open or failed, in that order', () =>
    holds(protocol, ({ events }) => {
      const sessions = events.flatMap((event) => (event.type === 'write_session' ? [event.stage] : []));
      expect(sessions.join(' ')).toMatch(
        /^(?:begun(?:(?: content_complete)? failed)*(?: content_complete(?: committed| failed| open)| failed| open) ?)*$/,
      );
    }));

  it('leaves no unpaired tool message behind', () =>
    holds(protocol, ({ adapter }) => {
      for (const { messages } of adapter.calls) {
        const asked = messages.flatMap((one) => ('tool_calls' in one ? (one.tool_calls ?? []) : []));
        const answered = messages.flatMap((one) => (one.role === 'tool' ? [one.tool_call_id] : []));
        expect(answered).toEqual(asked.map(({ id }) => id));
      }
    }));

  it('runs nothing in plan mode that may change something', () =>
    holds(protocol, ({ tools, context }) => {
      if (context.mode !== 'plan') return;
      const effects = tools.executed.map(({ call }) => tools.describe(call.function.name)?.effect);
      expect(effects.every((effect) => effect === 'read' || effect === 'poll')).toBe(true);
    }));
});

describe('two_stage, whatever model and tools do', () => {
  it('I2: at most one execution per tool phase, at most maxPhaseCycles per turn', () =>
    holds('two_stage', ({ tools }, { budgets }) => {
      const phases = tools.executed.map(({ context }) => context.phaseIndex);
      expect(new Set(phases).size).toBe(phases.length);
      expect(phases.length).toBeLessThanOrEqual(budgets.maxPhaseCycles);
    }));

  it('I2: a signature runs again only as the duplicate rule allows', () =>
    holds('two_stage', ({ tools }) => {
      const runs = tools.executed.map((execution) => runOf(tools, execution));
      for (const signature of new Set(runs.map((run) => run.signature))) checkRepeats(runs, signature);
    }));

  it('I6: only ports suspend: no timer, no clock, no randomness', async () => {
    const settings = fc.sample(arbitraryTurn, { seed: 7, numRuns: 40 });
    const spies = [jest.spyOn(Date, 'now'), jest.spyOn(Math, 'random'), jest.spyOn(globalThis, 'setTimeout')];
    let macrotasks = 0;
    const tick = setImmediate(() => (macrotasks += 1));
    for (const one of settings) await play(one, 'two_stage');
    const used = spies.map((spy) => spy.mock.calls.length);
    for (const spy of spies) spy.mockRestore();
    clearImmediate(tick);
    expect({ used, macrotasks }).toEqual({ used: [0, 0, 0], macrotasks: 0 });
  });

  it('I7: no counter ever decreases', () =>
    fc.assert(
      fc.asyncProperty(arbitraryTurn, async ({ budgets, behaviours, executions, keepings, mode }) => {
        const model = modelOf(behaviours, () => undefined);
        const writeSessions = sessionsOf(keepings);
        const tool = toolOf(executions);
        const { context } = fakeTurn({ model, mode, tool, writeSessions, config: budgets });
        const seen: Counters[] = [];
        const watched = async function* (turn: Turn): ReturnType<typeof alternate> {
          const steps = alternate(turn);
          for (;;) {
            const { done, value } = await steps.next();
            seen.push({ ...turn.counters });
            if (done) return value;
            yield value;
          }
        };
        for await (const event of runTurn(new ProtocolExecutionContext(context), watched)) void event;
        const decreased = seen.filter((counters, i) => isLess(counters, seen[i - 1] ?? counters));
        expect(decreased).toEqual([]);
      }),
      { numRuns: 60 },
    ));
});

const isLess = (counters: Counters, before: Counters): boolean =>
  Object.entries(counters).some(([key, value]) => value < before[key as keyof Counters]);

interface Run {
  readonly signature: string;
  readonly effect: 'read' | 'write' | 'poll';
  readonly onlyOnce: boolean;
  readonly ok: boolean;
  readonly retryable: boolean;
  readonly unknown: boolean;
  readonly answer: string;
}

const runOf = (tools: ScriptedTools, { call, answer }: ScriptedTools['executed'][number]): Run => {
  const { name, arguments: text } = call.function;
  const declaration = tools.describe(name);
  const effect = declaration?.effect ?? 'write';
  const path = name.startsWith('Files_') ? text.replace('./', '') : text;
  return {
    signature: `${name} ${path === '' ? '{}' : path}`,
    effect,
    onlyOnce: declaration?.idempotentHint === false,
    ok: answer?.success === true,
    retryable: answer?.retryable === true,
    unknown: answer ? answer.error === 'OUTCOME_UNKNOWN' : effect === 'write',
    answer: JSON.stringify(answer ?? null),
  };
};

/** Every repeat needs a reason, and the two reasons that a failure gives are good for once each. */
const checkRepeats = (runs: readonly Run[], signature: string): void => {
  const own = runs.flatMap((run, i) => (run.signature === signature ? [i] : []));
  let byFailure = 0;
  let unchanged = 0;
  for (const [n, next] of own.entries()) {
    const last = n === 0 ? undefined : own[n - 1];
    if (last === undefined) continue;
    const run = runs[last] as Run;
    const between = runs.slice(last + 1, next);
    const written = between.filter(({ effect }) => effect === 'write');
    const reopened =
      run.effect === 'read' ? written.length > 0 : !run.onlyOnce && written.some(({ ok }) => ok);
    expect(run.unknown).toBe(false);
    if (run.effect === 'poll' && unchanged < 8) {
      unchanged = runs[next]?.answer === run.answer ? unchanged + 1 : 0;
    } else if (run.effect === 'poll' || !reopened) {
      expect(run.ok).toBe(false);
      expect(run.retryable || between.some(({ ok }) => ok)).toBe(true);
      byFailure += 1;
    }
  }
  expect(byFailure).toBeLessThanOrEqual(2);
};
