/** Checks the invariants of both protocols over wild models and tools. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inputNumberOf } from '../../src/contracts/inputs/input-id.ts';
import type { Budgets } from '../../src/contracts/turn/budgets.ts';
import type { ToolCall, ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { type TurnEvent, turnEventSchema } from '../../src/contracts/wire/turn-event.ts';
import {
  type ExecutionContextParts,
  ProtocolExecutionContext,
} from '../../src/protocol/turn/execution-context.ts';
import { createProtocol } from '../../src/protocol/protocols/protocol-registry.ts';
import { checkCall } from '../../src/protocol/calls/checked-call.ts';
import { approvalModeOf } from '../../src/protocol/inputs/approval-policy.ts';
import { runTurn, type RunProtocol } from '../../src/protocol/protocols/turn-protocol.ts';
import { runStandard } from '../../src/protocol/protocols/standard-protocol.ts';
import type { TurnCounters } from '../../src/protocol/turn/stop-policy.ts';
import type { Turn } from '../../src/protocol/turn/turn.ts';
import { runTwoStage } from '../../src/protocol/protocols/two-stage-protocol.ts';
import {
  MAX_CONTINUATIONS,
  MAX_IDLE_PROMPTS,
  MAX_REFUSED_CONTENTS,
} from '../../src/protocol/turn/write-session-run.ts';
import { fakeTurn, ScriptedModel, type ScriptedTools, eventText } from '../support/fake-ports.ts';
import { ScriptedInputs } from './support/scripted-inputs.ts';
import { arbitraryTurn, sessionsOf, toolOf } from './support/arbitrary-turn.ts';
import { modelOf, PortOfModel } from './support/wild-model.ts';
import { usedOfWorld } from './support/watched-world.ts';

type Settings = typeof arbitraryTurn extends fc.Arbitrary<infer T> ? T : never;

/** The text with which the trace reports an adapter whose `done` contradicts its chunks. */
const CONTRADICTION = 'the adapter ended with another text than its chunks had';

/** The tools whose calls are input requests. */
const ASKING = new Set(['User_ask', 'app_click']);
const TERMINAL = new Set(['done', 'error']);

/** The most model calls that the content of one write session may take (I5). */
const PER_SESSION = 1 + MAX_IDLE_PROMPTS + MAX_CONTINUATIONS + MAX_REFUSED_CONTENTS;

/** Returns the bound of I5 for two-stage turns, the contents of write sessions left out. */
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

/** How a protocol reaches its model: by the port of workflows, or by an adapter whose stream it reads itself. */
type Way = 'port' | 'adapter';
const WAYS: readonly Way[] = ['port', 'adapter'];
const PROTOCOLS = ['two_stage', 'standard'] as const;
const RUN_BY_PROTOCOL = { two_stage: runTwoStage, standard: runStandard } as const;

const modelBy = (way: Way, { behaviours, cancelAfter }: Settings) => {
  const clock = { ms: 0 };
  const cancellation = { isRequested: false };
  const look = () => {
    clock.ms += 1;
    cancellation.isRequested ||= cancelAfter !== undefined && adapter.calls.length > cancelAfter;
    return { now: clock.ms, isCancelled: cancellation.isRequested };
  };
  const adapter: PortOfModel | ScriptedModel =
    way === 'port' ? new PortOfModel(behaviours, look) : new ScriptedModel(modelOf(behaviours, look));
  return { adapter, cancellation, clock: { now: () => clock.ms } };
};

/** Returns the model's text as readers were shown it. */
const shownText = (adapter: PortOfModel | ScriptedModel, events: readonly TurnEvent[]): string =>
  adapter instanceof PortOfModel ? adapter.said.join('') + eventText(events) : eventText(events);

const inputsOf = (
  { policy, replies, accepted }: NonNullable<Settings['people']>,
  cancellation?: { readonly isRequested: boolean },
): ScriptedInputs => new ScriptedInputs(policy, replies, () => 0, accepted, cancellation);

/** Returns how often a person let the turn go on. */
const grantsOf = ({ inputs }: Pick<ExecutionContextParts, 'inputs'>): number =>
  inputs instanceof ScriptedInputs ? inputs.resolved.filter(({ reply }) => reply === 'keep_going').length : 0;

/** A call whose checks failed before a person could be asked, and how many calls had been executed before it. */
interface FailedChecks {
  readonly call: ToolCall;
  readonly answer: ToolResult;
  readonly before: number;
}

const play = async (settings: Settings, protocol: 'two_stage' | 'standard', way: Way) => {
  const { budgets, mode, toolResultRole, executions, keepings, people } = settings;
  const model = modelBy(way, settings);
  const inputs = people && inputsOf(people, model.cancellation);
  const turn = fakeTurn({
    ...model,
    mode,
    tool: toolOf(executions),
    writeSessions: sessionsOf(keepings),
    ...(inputs && { inputs }),
    config: { ...budgets, toolResultRole },
  });
  const checksFailed: FailedChecks[] = [];
  if (inputs) {
    inputs.onFailed = (call, answer) =>
      checksFailed.push({ call, answer, before: turn.tools.executed.length });
  }
  const events: TurnEvent[] = [];
  for await (const event of createProtocol(protocol, turn.context).executeStreaming(turn.context)) {
    events.push(event);
    if (events.length > 20_000) throw new Error('the turn does not end');
  }
  return { ...turn, adapter: model.adapter, checksFailed, events };
};

/** The seed is printed with every failure, so that the same turns can be played again. */
const SEED = Math.trunc(Math.random() * 2 ** 31);
const RUNS = 600;

type Played = Awaited<ReturnType<typeof play>>;

/** All invariants are checked on the same turns, since playing them takes far longer than looking at them. */
const played = new Map<string, Promise<readonly (readonly [Settings, Played])[]>>();
const turnsOf = (protocol: 'two_stage' | 'standard', way: Way) => {
  const playAll = async (): Promise<[Settings, Played][]> => {
    const turns: [Settings, Played][] = [];
    for (const settings of fc.sample(arbitraryTurn, { seed: SEED, numRuns: RUNS })) {
      turns.push([settings, await play(settings, protocol, way)]);
    }
    return turns;
  };
  const key = `${protocol} ${way}`;
  const turns = played.get(key) ?? playAll();
  played.set(key, turns);
  return turns;
};

const holds = async (
  protocol: 'two_stage' | 'standard',
  way: Way,
  check: (turn: Played, settings: Settings) => void,
): Promise<void> => {
  try {
    for (const [settings, turn] of await turnsOf(protocol, way)) check(turn, settings);
  } catch (error) {
    const again = fc.asyncProperty(arbitraryTurn, async (settings) =>
      check(await play(settings, protocol, way), settings),
    );
    // The same turns are played once more to find the smallest that fails.
    await fc.assert(again, { seed: SEED, numRuns: RUNS });
    throw new Error(`These turns passed when they were played again (seed ${SEED}).`, { cause: error });
  }
};

describe.each(PROTOCOLS.flatMap((protocol) => WAYS.map((way) => [protocol, way] as const)))(
  '%s over the %s, whatever model and tools do',
  (protocol, way) => {
    it('are played in turns in which everything happens that the rules are about', async () => {
      const turns = await turnsOf(protocol, way);
      const ran = (turn: Played, check: (run: Played['tools']['executed'][number]) => boolean): boolean =>
        turn.tools.executed.some(check);
      const kinds: Record<string, (turn: Played) => boolean> = {
        'a reply lets a call run': (turn) => ran(turn, ({ context }) => context.approval !== undefined),
        'a call is answered outside': (turn) => ran(turn, ({ context }) => context.answer !== undefined),
        'a call runs in plan mode': (turn) => turn.context.mode === 'plan' && ran(turn, () => true),
        'a file is written': ({ events }) =>
          events.some((event) => event.type === 'write_session' && event.stage === 'committed'),
        'a person lets the turn go on': ({ context }) => grantsOf(context) > 0,
        'a cancel': ({ events }) =>
          events.some((event) => event.type === 'done' && event.status === 'cancelled'),
        'an error': ({ events }) => events.some(({ type }) => type === 'error'),
        'an answer': ({ events }) =>
          events.some((event) => event.type === 'done' && event.reason === 'answered'),
      };
      const missing = Object.entries(kinds).filter(([, happens]) => !turns.some(([, turn]) => happens(turn)));
      expect({ seed: SEED, missing: missing.map(([kind]) => kind) }).toEqual({ seed: SEED, missing: [] });
    });

    it('I1: exactly one terminal event, the last, and every event fits the contract', () =>
      holds(protocol, way, ({ events }) => {
        expect(events.filter(({ type }) => TERMINAL.has(type))).toHaveLength(1);
        expect(TERMINAL.has(events.at(-1)?.type ?? '')).toBe(true);
        for (const event of events) turnEventSchema.parse(event);
      }));

    it('I3: phase indexes rise by one from 0', () =>
      holds(protocol, way, ({ events }) => {
        const indexes = events.flatMap((event) => (event.type === 'phase' ? [event.index] : []));
        expect(indexes).toEqual(indexes.map((_index, i) => i));
      }));

    it('I4: fullContent is the concatenation of the chunks that are no notices, unless an adapter contradicts itself', () =>
      holds(protocol, way, ({ adapter, events, traceService }) => {
        const end = events.at(-1);
        const isContradicted = traceService.records.some(({ summary }) => summary === CONTRADICTION);
        if (end?.type === 'done' && !isContradicted) expect(end.fullContent).toBe(shownText(adapter, events));
      }));

    it('I5: the number of model calls is bounded by the budgets, anew with each grant', () =>
      holds(protocol, way, ({ adapter, events, context }, settings) => {
        const begun = events.filter(
          (event) => event.type === 'write_session' && event.stage === 'begun',
        ).length;
        const most = protocol === 'standard' ? 5 : maxModelCalls(settings) * (1 + grantsOf(context));
        expect(adapter.calls.length).toBeLessThanOrEqual(most + begun * PER_SESSION);
      }));

    it('a write session is begun, then written, left open or failed, in that order', () =>
      holds(protocol, way, ({ events }) => {
        const sessions = events.flatMap((event) => (event.type === 'write_session' ? [event.stage] : []));
        expect(sessions.join(' ')).toMatch(
          /^(?:begun(?:(?: content_complete)? failed)*(?: content_complete(?: committed| failed| open)| failed| open) ?)*$/,
        );
      }));

    it('I8: runs nothing that the policy denies, nothing that needs a reply without one, and each reply once', () =>
      holds(protocol, way, ({ tools, context }) => {
        const { inputs } = context;
        const once: string[] = [];
        for (const { call, context: run } of tools.executed) {
          const checked = checkCall(call, { describe: (name) => tools.describe(name), projectId: 'p1' });
          if (!inputs || !checked) continue;
          const mode = approvalModeOf(inputs.policy, checked);
          expect(mode).not.toBe('deny');
          // A file is asked about at its commit, not when it is begun.
          const asksAtCommit = checked.declaration.beginsWriteSession !== undefined;
          if (mode === 'ask' && !asksAtCommit) expect(run.approval).toBeDefined();
          if (mode === 'ask' && asksAtCommit) expect(run.asksAtCommit).toBe(true);
          if (run.approval?.once) once.push(run.approval.inputId);
          const resolved = (inputs as ScriptedInputs).resolved.find(
            ({ inputId }) => inputId === run.approval?.inputId,
          );
          if (run.approval) expect(resolved?.reply).toMatch(/^(?:allow|allow_turn|edit|answer|result)$/);
        }
        expect(new Set(once).size).toBe(once.length);
      }));

    it('I8: a call that is answered outside runs only with its answer, and only where its client can', () =>
      holds(protocol, way, ({ tools }, { people }) => {
        if (!people?.accepted.includes('question')) return;
        const asked = tools.executed.filter(({ call }) => ASKING.has(call.function.name));
        for (const { context: run } of asked) expect(run.answer).toEqual({ ok: true, content: 'Blue.' });
        const answered = tools.executed.filter(({ context: run }) => run.answer !== undefined);
        expect(answered).toEqual(asked);
      }));

    it('I9: the numbers of requests rise, and each is followed by its resolution or by the end', () =>
      holds(protocol, way, ({ events }) => {
        const numbers = events.flatMap((event) =>
          event.type === 'input_requested' ? [inputNumberOf(event.inputId) ?? NaN] : [],
        );
        expect(numbers.every((n, i) => n > (numbers[i - 1] ?? 0))).toBe(true);
        events.forEach((event, i) => {
          if (event.type === 'input_resolved') {
            expect(events[i - 1]).toMatchObject({ type: 'input_requested', inputId: event.inputId });
          }
          if (event.type === 'input_requested') {
            expect(['input_resolved', 'done', 'error']).toContain(events[i + 1]?.type);
          }
        });
      }));

    it('leaves no unpaired tool message behind', () =>
      holds(protocol, way, ({ adapter }) => {
        for (const { messages } of adapter.calls) {
          const asked = messages.flatMap((one) => ('tool_calls' in one ? (one.tool_calls ?? []) : []));
          const answered = messages.flatMap((one) => (one.role === 'tool' ? [one.tool_call_id] : []));
          expect(answered).toEqual(asked.map(({ id }) => id));
        }
      }));

    it('runs nothing in plan mode that may change something', () =>
      holds(protocol, way, ({ tools, context }) => {
        if (context.mode !== 'plan') return;
        const effects = tools.executed.map(({ call }) => tools.describe(call.function.name)?.effect);
        expect(effects.every((effect) => effect === 'read' || effect === 'poll')).toBe(true);
      }));

    it('I6: only ports suspend: no timer, no clock, no randomness', async () => {
      const settings = fc.sample(arbitraryTurn, { seed: 7, numRuns: 40 });
      const used = await usedOfWorld(async () => {
        for (const one of settings) await play(one, protocol, way);
      });
      expect(used).toEqual([]);
    });

    it('I7: no counter ever decreases, nor does a budget', () =>
      fc.assert(
        fc.asyncProperty(arbitraryTurn, async (settings) => {
          const { budgets, executions, keepings, mode, people } = settings;
          const inputs = people && inputsOf(people);
          const { adapter, clock } = modelBy(way, { ...settings, cancelAfter: undefined });
          const writeSessions = sessionsOf(keepings);
          const tool = toolOf(executions);
          const { context } = fakeTurn({
            adapter,
            clock,
            mode,
            tool,
            writeSessions,
            inputs,
            config: budgets,
          });
          const seen: (TurnCounters & Pick<Budgets, 'maxPhaseCycles' | 'maxTurnMs'>)[] = [];
          const watched = async function* (turn: Turn): ReturnType<RunProtocol> {
            const steps = RUN_BY_PROTOCOL[protocol](turn);
            for (;;) {
              const { done, value } = await steps.next();
              const { maxPhaseCycles, maxTurnMs } = turn.meter.budgets;
              seen.push({ ...turn.meter.counters, maxPhaseCycles, maxTurnMs });
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
  },
);

describe.each(WAYS)('two_stage over the %s, whatever model and tools do', (way) => {
  it('I2: at most one execution per tool phase, at most maxPhaseCycles per turn and for each grant', () =>
    holds('two_stage', way, ({ tools, context }, { budgets }) => {
      const phases = tools.executed.map((execution) => execution.context.phaseIndex);
      expect(new Set(phases).size).toBe(phases.length);
      const granted = (1 + grantsOf(context)) * budgets.maxPhaseCycles;
      expect(phases.length).toBeLessThanOrEqual(Math.min(granted, 50));
    }));

  it('I2: a signature runs again only as the duplicate rule allows', () =>
    holds('two_stage', way, ({ tools, checksFailed }) => {
      const failedAt = (place: number) => checksFailed.filter(({ before }) => before === place);
      const inOrder = tools.executed.flatMap((execution, place) => [...failedAt(place), execution]);
      const runs = [...inOrder, ...failedAt(tools.executed.length)].map((one) => runOf(tools, one));
      for (const signature of new Set(runs.map((run) => run.signature))) checkRepeats(runs, signature);
    }));
});

describe.each(WAYS)('standard over the %s, whatever model and tools do', (way) => {
  it('no call runs twice', () =>
    holds('standard', way, ({ tools }) => {
      const signatures = tools.executed.map((execution) => runOf(tools, execution).signature);
      expect(signatures.filter((signature, i) => signatures.indexOf(signature) < i)).toEqual([]);
    }));

  it('calls run in the order in which the model made them', () =>
    holds('standard', way, ({ adapter, tools, context: { inputs } }) => {
      // A call that a person edited has another place under its new arguments.
      if (inputs instanceof ScriptedInputs && inputs.resolved.some(({ reply }) => reply === 'edit')) return;
      const messages = adapter.calls.at(-1)?.messages ?? [];
      const asked = messages
        .flatMap((one) => ('tool_calls' in one ? (one.tool_calls ?? []) : []))
        .map(wordsOf);
      const ran = tools.executed.map(({ call }) => wordsOf(call)).filter((words) => asked.includes(words));
      expect(ran).toEqual([...new Set(asked)].filter((words) => ran.includes(words)));
    }));
});

const wordsOf = ({ function: { name, arguments: text } }: ToolCall): string => `${name} ${text}`;

const isLess = <T extends Readonly<Record<keyof T, number>>>(figures: T, before: T): boolean =>
  Object.entries<number>(figures).some(([key, value]) => value < before[key as keyof T]);

interface Run {
  readonly signature: string;
  readonly effect: 'read' | 'write' | 'poll';
  readonly runsOnlyOnce: boolean;
  readonly isOk: boolean;
  readonly isRetryable: boolean;
  readonly isUnknown: boolean;
  readonly answer: string;
}

const runOf = (
  tools: ScriptedTools,
  { call, answer }: Pick<ScriptedTools['executed'][number], 'call' | 'answer'>,
): Run => {
  const { name, arguments: text } = call.function;
  const declaration = tools.describe(name);
  const effect = declaration?.effect ?? 'write';
  const path = name.startsWith('Files_') ? text.replace('./', '') : text;
  return {
    signature: `${name} ${path === '' ? '{}' : path}`,
    effect,
    runsOnlyOnce: declaration?.idempotentHint === false,
    isOk: answer?.success === true,
    isRetryable: answer?.retryable === true,
    isUnknown: answer ? answer.error === 'OUTCOME_UNKNOWN' : effect === 'write',
    answer: JSON.stringify(answer ?? null),
  };
};

/** Checks that every repeat has a reason; each of the two reasons that a failure gives allows one repeat. */
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
      run.effect === 'read' ? written.length > 0 : !run.runsOnlyOnce && written.some(({ isOk }) => isOk);
    expect(run.isUnknown).toBe(false);
    if (run.effect === 'poll' && unchanged < 8) {
      unchanged = runs[next]?.answer === run.answer ? unchanged + 1 : 0;
    } else if (run.effect === 'poll' || !reopened) {
      expect(run.isOk).toBe(false);
      expect(run.isRetryable || between.some(({ isOk }) => isOk)).toBe(true);
      byFailure += 1;
    }
  }
  expect(byFailure).toBeLessThanOrEqual(2);
};
