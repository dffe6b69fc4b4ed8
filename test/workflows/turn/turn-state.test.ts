/** Covers the budgets that are shown of a turn, grants included, and that they are those of the core. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { SteerQueue } from '../../../src/protocol/inputs/steer-queue.ts';
import { runTurn } from '../../../src/protocol/protocols/turn-protocol.ts';
import { runTwoStage } from '../../../src/protocol/protocols/two-stage-protocol.ts';
import { ProtocolExecutionContext } from '../../../src/protocol/turn/execution-context.ts';
import type { Turn } from '../../../src/protocol/turn/turn.ts';
import { TurnState } from '../../../workflows/turn/turn-state.ts';
import { arbitraryTurn, sessionsOf, toolOf } from '../../protocol/support/arbitrary-turn.ts';
import { modelOf } from '../../protocol/support/wild-model.ts';
import { ScriptedInputs } from '../../protocol/support/scripted-inputs.ts';
import { fakeTurn } from '../../support/fake-ports.ts';
import { turnInput } from '../../support/turn-fixtures.ts';

const by = { kind: 'local' } as const;
const at = '2026-01-05T09:00:00.000Z';
const ran: TurnEvent = {
  type: 'tool_result',
  callId: 'c',
  name: 'read_file',
  ok: true,
  durationMs: 1,
  bytes: 1,
};
const steer: TurnEvent = { type: 'steer', messageId: 'm', content: 'go on', by, at, interrupted: false };
const resolved = (reply: 'keep_going' | 'answer_now'): TurnEvent => ({
  type: 'input_resolved',
  inputId: 't/1',
  reply,
  by,
  at,
});

const spent = (state: TurnState) => [state.cycle, state.budgets.maxPhaseCycles, state.budgets.maxTurnMs];

it('a message lets as many tools run again, and a reply at a limit as much time, too', () => {
  const budgets = budgetsSchema.parse({ maxPhaseCycles: 2, maxTurnMs: 1_000 });
  const state = new TurnState(turnInput('t', { budgets, maxPhaseCyclesLimit: 5 }));
  for (const event of [ran, ran]) state.observe(event);
  expect(spent(state)).toEqual([2, 2, 1_000]);
  expect(state.observe(steer)).toBe(true);
  expect(spent(state)).toEqual([2, 4, 1_000]);
  state.observe(ran);
  expect(state.observe(resolved('answer_now'))).toBe(false);
  expect(state.observe(resolved('keep_going'))).toBe(true);
  expect(spent(state)).toEqual([3, 5, 2_000]);
});

/** A random turn, with messages of its user after some of its events and a limit for the tools that grants add. */
const steeredTurn = fc.record({
  settings: arbitraryTurn,
  messagesAfter: fc.uniqueArray(fc.nat(30), { maxLength: 4 }),
  when: fc.constantFrom('now', 'boundary'),
  maxPhaseCyclesLimit: fc.constantFrom(5, 50),
});

const inCore = ({ phases, meter }: Turn) => ({
  phase: phases.index,
  cycle: meter.counters.cycles,
  budgets: meter.budgets,
});
const shown = ({ phase, cycle, budgets }: TurnState) => ({ phase: phase?.index ?? -1, cycle, budgets });

it('phase, cycles and budgets are those of the core after every event of a random turn', async () => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(steeredTurn, async ({ settings, messagesAfter, when, ...limit }) => {
    const { executions, keepings, mode, people, toolResultRole } = settings;
    const budgets = budgetsSchema.parse(settings.budgets);
    const steers = new SteerQueue();
    const inputs = people && new ScriptedInputs(people.policy, people.replies, () => 0, people.accepted);
    const { context } = fakeTurn({
      mode,
      model: modelOf(settings.behaviours, () => undefined),
      tool: toolOf(executions),
      writeSessions: sessionsOf(keepings),
      steers,
      inputs,
      config: { ...budgets, ...limit, toolResultRole },
    });
    const state = new TurnState(turnInput('t', { budgets, toolResultRole, ...limit }));
    let core: Turn | undefined;
    const events = runTurn(new ProtocolExecutionContext(context), (turn) => runTwoStage((core = turn)));
    let count = 0;
    for await (const event of events) {
      state.observe(event);
      // The core gives a reply's grant only after the event of the reply.
      if (core && event.type !== 'input_resolved') expect(shown(state)).toEqual(inCore(core));
      seen.add(event.type === 'input_resolved' ? event.reply : event.type);
      if (messagesAfter.includes(count)) {
        steers.accept({ messageId: `m${count}`, content: 'go on', when, by, at });
      }
      count += 1;
    }
    // A repeat that reaches its limit just as a message comes has no notice, so only the core counts it.
    expect(state.waste(0).duplicatesRefused).toBeLessThanOrEqual(core?.meter.counters.duplicates ?? 0);
  });
  await fc.assert(property, { numRuns: 300 });
  expect([...seen]).toEqual(expect.arrayContaining(['tool_result', 'steer', 'keep_going']));
});
