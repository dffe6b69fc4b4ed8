import fc from 'fast-check';
import type { OptionalInputKind } from '../../../src/contracts/wire/input-events.ts';
import type { KeepOutcome } from '../../../src/protocol/ports/write-session-port.ts';
import type { ToolScript } from '../../support/fake-ports.ts';
import { behavioursOfTurn } from './arbitrary-behaviours.ts';
import { nth } from './nth.ts';
import type { ScriptedReply } from './scripted-inputs.ts';
import { ScriptedSessions } from './scripted-sessions.ts';

/** The result of a call that begins a write session. */
const BEGUN = { success: true, result: { session_id: 's', target_file: 'f' } };

/** What a wild tool may do in one execution. */
const execution = fc.oneof(
  fc.constantFrom(
    { success: true, result: 'same' },
    { success: true, result: 'x'.repeat(4_000) },
    { success: false, error: 'not found' },
    { success: false, error: 'HTTP 503', retryable: true },
    { success: false, error: 'OUTCOME_UNKNOWN' },
    { success: true },
    BEGUN,
    BEGUN,
  ),
  fc.nat(3).map((n) => ({ success: true, result: { n } })),
  fc.constant('throws' as const),
);

/** The outcome of keeping a session's content, which most often is the one that was asked for. */
const keeping = fc.constantFrom<KeepOutcome | undefined>(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  { kind: 'kept' },
  { kind: 'failed', code: 'write_failed', reason: 'no space' },
  { kind: 'failed', code: 'validation_failed', reason: 'refused' },
);

const budgets = fc.record({
  maxPhaseCycles: fc.oneof(fc.nat(3), fc.integer({ min: 4, max: 20 })),
  maxDuplicateAttempts: fc.integer({ min: 1, max: 4 }),
  maxMalformedCalls: fc.integer({ min: 1, max: 4 }),
  maxRefusals: fc.integer({ min: 1, max: 4 }),
  maxNoProgress: fc.integer({ min: 1, max: 12 }),
  maxTurnTokens: fc.constantFrom(30, 300, 300, 300),
  maxTurnMs: fc.constantFrom(10, 100_000, 100_000, 100_000),
  debugShowToolResults: fc.boolean(),
});

const reply = fc.constantFrom<ScriptedReply>(
  'allow',
  'allow',
  'allow',
  'allow',
  'allow_turn',
  'deny',
  'expiry',
  'failed',
  'lost',
  { edit: '{"path":"b"}' },
  { edit: '{"path":"c"}' },
  { edit: '{' },
);

const ALL_KINDS: readonly OptionalInputKind[] = ['question', 'limit', 'client_tool'];

/** In half of the turns nobody is asked. */
const people = fc.option(
  fc.record({
    policy: fc.record({
      rules: fc.array(
        fc.record({
          tool: fc.constantFrom('Files_*', 'Mail_send', '**'),
          mode: fc.constantFrom('allow', 'ask', 'deny'),
        }),
        { maxLength: 1 },
      ),
      setting: fc.constantFrom('never', 'writes', 'all'),
    }),
    replies: fc.array(reply, { minLength: 1, maxLength: 5 }),
    accepted: fc.constantFrom<readonly OptionalInputKind[]>([], ['limit'], ALL_KINDS, ALL_KINDS, ALL_KINDS),
  }),
  { nil: undefined, freq: 2 },
);

/** Everything about a turn that is chosen at random. */
export const arbitraryTurn = fc.record({
  budgets,
  mode: fc.constantFrom('act', 'act', 'plan'),
  toolResultRole: fc.constantFrom('tool' as const, 'system' as const),
  behaviours: behavioursOfTurn,
  executions: fc.array(execution, { minLength: 1, maxLength: 6 }),
  keepings: fc.array(keeping, { minLength: 1, maxLength: 4 }),
  people,
  /** The index of the model call after which the user cancels; in most turns undefined, for never. */
  cancelAfter: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat(6) },
  ),
});

/** Returns the tool of an arbitrary turn, which goes through `executions` and then begins again. */
export const toolOf =
  (executions: readonly ('throws' | (Awaited<ReturnType<ToolScript>> & object))[]): ToolScript =>
  async ({ function: { name: called } }, n) => {
    const chosen = nth(executions, n - 1);
    if (chosen === 'throws') throw new Error('the tool broke');
    await Promise.resolve();
    const begins = called === 'WritePlanTool_begin' && chosen.success;
    return begins ? BEGUN : chosen;
  };

/** Returns the write sessions of an arbitrary turn, which go through `keepings` and then begin again. */
export const sessionsOf = (keepings: readonly (KeepOutcome | undefined)[]): ScriptedSessions =>
  new ScriptedSessions((n) => nth(keepings, n));
