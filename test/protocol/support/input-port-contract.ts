import { describe, expect, it } from '@jest/globals';
import { type InputResolved, inputResolvedSchema } from '../../../src/contracts/wire/input-events.ts';
import type {
  InputPort,
  InputRequestSpec,
  InputRequestPreparation,
} from '../../../src/protocol/ports/input-port.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { REFUSED_EDIT, refuseEdit } from './refused-edit.ts';
import type { ScriptedReply } from './scripted-inputs.ts';

/** A port whose requests get scripted replies, one after another, and what only a test learns of it and does to it. */
export interface InputsUnderContract {
  readonly inputs: Pick<InputPort, 'prepare' | 'wait'>;
  recordAskDecision(kind: Parameters<InputPort['recordAskDecision']>[0]): boolean | Promise<boolean>;
  /** Returns how many requests people have been shown. */
  shown(): number;
  /** Cancels the turn. A call of the port that runs then, or comes later, learns of it. */
  cancel(): Promise<void>;
}

/** What a port is opened with: the replies, the kinds of requests that it makes, and whether the turn is cancelled. */
export interface InputScript {
  readonly replies: readonly ScriptedReply[];
  readonly accepted?: readonly ('question' | 'limit' | 'client_tool')[];
  /** True when the user cancels the turn while the first request waits. */
  readonly cancelsWhileWaiting?: boolean;
}

const SESSION = {
  sessionId: 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c001',
  content: { sha256: 'd'.repeat(64), bytes: 1, lines: 1 },
};
const call = toolCall('Files_write', { path: 'a' }, 'c1');
const HEX = /^[0-9a-f]{64}$/;

const specOf = (kind: InputRequestSpec['kind']): InputRequestSpec => ({
  kind,
  ...(kind !== 'limit' && { call }),
  ...(kind === 'commit' && { session: SESSION }),
  options: OPTIONS[kind],
  deadline: Date.now() + 60_000,
  ...(kind === 'approval' && { refusalFor: refuseEdit }),
});
const OPTIONS = {
  approval: ['allow', 'allow_turn', 'edit', 'deny'],
  commit: ['allow', 'allow_turn', 'deny'],
  question: ['answer', 'deny'],
  client_tool: ['result', 'deny'],
  limit: ['keep_going', 'answer_now'],
} as const;

const EVENT = { message: 'May it?', default: 'deny' } as const;

const ready = (prepared: InputRequestPreparation): InputRequestPreparation & { kind: 'ready' } => {
  if (prepared.kind === 'ready') return prepared;
  throw new Error(`expected a request that is ready, received ${prepared.kind}`);
};

/** Describes what the core relies on when it asks people. `open` is called once in each test. */
export const describeInputPort = (
  name: string,
  open: (script: InputScript) => Promise<InputsUnderContract>,
): void => {
  /** Makes one request of that kind, and resolves to what was prepared and what came of it. */
  const ask = async (
    kind: InputRequestSpec['kind'],
    reply: ScriptedReply,
    fallback: 'deny' | 'answer_now' = 'deny',
  ) => {
    const { inputs } = await open({ replies: [reply] });
    const prepared = ready(await inputs.prepare(specOf(kind)));
    const outcome = await inputs.wait({ ...EVENT, default: fallback });
    expect(inputResolvedSchema.strict().parse(outcome.event)).toEqual(outcome.event);
    expect(outcome.event.inputId).toBe(prepared.inputId);
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(0);
    return { prepared, outcome };
  };

  describe(`the port of input requests: ${name}`, () => {
    it('makes requests of the kinds that its client shows, and commits always', async () => {
      const { recordAskDecision } = await open({ replies: ['allow'], accepted: ['limit'] });
      expect([
        await recordAskDecision('limit'),
        await recordAskDecision('commit'),
        await recordAskDecision('question'),
      ]).toEqual([true, true, false]);
    });

    it('prepares a request without showing it to anybody, and shows it when the turn waits', async () => {
      const { inputs, shown } = await open({ replies: ['allow'] });
      const prepared = ready(await inputs.prepare(specOf('approval')));
      expect(prepared.shown).toMatchObject({
        arguments: call.function.arguments,
        argsHash: expect.stringMatching(HEX),
      });
      expect(new Date(prepared.expiresAt).toISOString()).toBe(prepared.expiresAt);
      expect(shown()).toBe(0);
      await inputs.wait(EVENT);
      expect(shown()).toBe(1);
    });

    it('numbers all requests of the turn, also those that nobody is asked about', async () => {
      const { inputs, shown } = await open({ replies: ['failed', 'lost', 'allow'] });
      const failed = await inputs.prepare(specOf('approval'));
      expect(failed).toMatchObject({
        kind: 'failed',
        result: { toolCallId: 'c1', success: false, error: expect.any(String) },
      });
      expect(await inputs.prepare(specOf('approval'))).toEqual({ kind: 'lost' });
      const { inputId } = ready(await inputs.prepare(specOf('approval')));
      expect(inputId).toMatch(/^.+\/3$/);
      expect(shown()).toBe(0);
    });

    it('waits for no request that was not prepared', async () => {
      const { inputs } = await open({ replies: ['allow'] });
      await expect(inputs.wait(EVENT)).rejects.toThrow('expected a request that was prepared');
    });

    it.each<ScriptedReply & string>(['allow', 'allow_turn'])(
      'resolves with %s, for what was shown',
      async (reply) => {
        const { prepared, outcome } = await ask('approval', reply);
        expect(outcome.event).toMatchObject({ reply, argsHash: prepared.shown.argsHash });
        expect(isPersonal(outcome.event)).toBe(true);
        expect(outcome).not.toHaveProperty('arguments');
        expect(outcome).not.toHaveProperty('answer');
      },
    );

    it('resolves with a denial, and its note', async () => {
      const { outcome } = await ask('approval', 'deny');
      expect(outcome.event).toMatchObject({ reply: 'deny', note: 'so' });
      expect(isPersonal(outcome.event)).toBe(true);
    });

    it('resolves with an edit: the whole arguments, their beginning in the event, and their own hash', async () => {
      const edited = JSON.stringify({ path: 'b', content: 'x'.repeat(3_000) });
      const { prepared, outcome } = await ask('approval', { edit: edited });
      expect(outcome.arguments).toBe(edited);
      expect(outcome.event).toMatchObject({ reply: 'edit', argsHash: expect.stringMatching(HEX) });
      expect(outcome.event.argsHash).not.toBe(prepared.shown.argsHash);
      expect(edited.startsWith(outcome.event.arguments ?? ' ')).toBe(true);
      expect(outcome.event.arguments?.length).toBeLessThan(edited.length);
    });

    it('does not count an edit that the request refuses', async () => {
      const { outcome } = await ask('approval', { edit: REFUSED_EDIT });
      expect(outcome.event.reply).toBe('deny');
      expect(isPersonal(outcome.event)).toBe(false);
      expect(outcome).not.toHaveProperty('arguments');
    });

    it.each([
      ['question', 'answer'],
      ['client_tool', 'result'],
    ] as const)('resolves a %s with what was answered', async (kind, reply) => {
      const { outcome } = await ask(kind, 'allow');
      expect(outcome.event).toMatchObject({ reply });
      expect(outcome.answer).toEqual({ ok: true, content: 'Blue.' });
    });

    it.each(['allow', 'deny', 'expiry'] as const)(
      'says of a commit how its target was shown: %s',
      async (reply) => {
        const { outcome } = await ask('commit', reply);
        expect(outcome.event.reply).toBe(reply === 'allow' ? 'allow' : 'deny');
        expect(outcome.before).toMatch(HEX);
      },
    );

    it('takes the default of the event when nobody replies in time', async () => {
      const { outcome } = await ask('limit', 'expiry', 'answer_now');
      expect(outcome.event.reply).toBe('answer_now');
      expect(isPersonal(outcome.event)).toBe(false);
    });

    it('resolves a request at a limit, which is about no call', async () => {
      const { prepared, outcome } = await ask('limit', 'allow', 'answer_now');
      expect(prepared.shown).toEqual({});
      expect(outcome.event).toMatchObject({ reply: 'keep_going' });
    });

    it('rejects what runs or comes after the turn was cancelled', async () => {
      const { inputs, cancel } = await open({ replies: ['allow'] });
      ready(await inputs.prepare(specOf('approval')));
      await cancel();
      await expect(inputs.wait(EVENT)).rejects.toThrow();
      await expect(inputs.prepare(specOf('approval'))).rejects.toThrow();
    });

    it('rejects when the turn is cancelled while it waits', async () => {
      const { inputs } = await open({ replies: ['allow'], cancelsWhileWaiting: true });
      ready(await inputs.prepare(specOf('approval')));
      await expect(inputs.wait(EVENT)).rejects.toThrow();
    });
  });
};

/** Reports whether a person gave the reply. */
const isPersonal = ({ by }: InputResolved): boolean => ['key', 'local', 'temporal'].includes(by.kind);
