import { ApplicationFailure } from '@temporalio/activity';
import type { PrepareInputRequestResult } from '../../../src/contracts/inputs/input-request.ts';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type {
  AnnounceInputRequestInput,
  PrepareInputRequestInput,
} from '../../../src/contracts/payload/input-activity-payloads.ts';
import { cancelTurnSignal, replySignal } from '../../../src/temporal/turn-messages.ts';
import type { InputScript, InputsUnderContract } from '../../protocol/support/input-port-contract.ts';
import { REFUSED_EDIT } from '../../protocol/support/refused-edit.ts';
import type { ScriptedReply } from '../../protocol/support/scripted-inputs.ts';
import type { HostPorts } from './hosted-ports.ts';
import { ARGS_HASH, EDITED_HASH, preparationOf } from './scripted-inputs.ts';

/** Milliseconds after which a request without a reply expires. The tests of such requests take as long. */
const EXPIRY_MS = 200;

const isRefused = (reply: ScriptedReply): boolean => typeof reply === 'object' && reply.edit === REFUSED_EDIT;

const preparation = (
  input: PrepareInputRequestInput,
  reply: ScriptedReply | undefined,
): PrepareInputRequestResult => {
  if (reply === 'lost') throw ApplicationFailure.nonRetryable('the database is away');
  const { call } = input;
  if (reply !== 'failed' || !call) return preparationOf(input);
  const base = { toolCallId: call.id, toolName: 'Files.write', attempts: 1, durationMs: 0 };
  const timestamp = '2026-01-05T09:00:00.000Z';
  return { kind: 'failed', result: { ...base, success: false, error: 'outside the workspace', timestamp } };
};

/** Returns what a person sends, or undefined for a person who sends nothing. */
const replyOf = (kind: string, reply: ScriptedReply): Omit<ReplyRequest, 'inputId'> | undefined => {
  if (typeof reply === 'object') {
    return {
      reply: 'edit',
      argsHash: ARGS_HASH,
      arguments: JSON.parse(reply.edit) as Record<string, string>,
    };
  }
  switch (reply) {
    case 'expiry':
      return undefined;
    case 'allow':
      if (kind === 'question') return { reply: 'answer', content: 'Blue.' };
      if (kind === 'client_tool') return { reply: 'result', ok: true, content: 'Blue.' };
      return kind === 'limit' ? { reply: 'keep_going' } : { reply, argsHash: ARGS_HASH };
    case 'allow_turn':
      return { reply, argsHash: ARGS_HASH };
    default:
      return { reply: 'deny', note: 'so' };
  }
};

/** Starts a turn whose requests get these replies, each as soon as people are asked; resolves to its port. */
export const openHostedInputs = async (
  host: HostPorts,
  { replies, accepted = [], cancelsWhileWaiting }: InputScript,
): Promise<InputsUnderContract> => {
  const announced: AnnounceInputRequestInput[] = [];
  const kinds = new Map<number, string>();
  const mayExpire = replies.some((reply) => replyOf('', reply) === undefined || isRefused(reply));
  const approvals = { rules: [], setting: 'writes' } as const;
  const ports = await host(
    (turn) => ({
      prepareInput: async (input) => {
        kinds.set(input.n, input.kind);
        return preparation(input, replies[input.n - 1]);
      },
      checkInput: () => Promise.resolve({ kind: 'passes', argsHash: EDITED_HASH }),
      announceInput: async (input) => {
        announced.push(input);
        const { handle, turnId } = turn();
        const reply = replyOf(kinds.get(input.n) ?? '', replies[input.n - 1] ?? 'deny');
        if (cancelsWhileWaiting) await handle.signal(cancelTurnSignal);
        else if (reply) await handle.signal(replySignal, { inputId: `${turnId}/${input.n}`, ...reply });
        return 'open';
      },
    }),
    { inputs: { approvals, expiryMs: mayExpire ? EXPIRY_MS : 60_000, accepts: accepted } },
  );
  return {
    inputs: ports.inputs,
    recordAskDecision: async (kind) => (await ports.ask('inputs', 'recordAskDecision', kind)) === true,
    shown: () => announced.length,
    cancel: () => ports.cancel(),
  };
};
