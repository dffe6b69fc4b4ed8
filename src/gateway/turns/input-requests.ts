import { createHash } from 'node:crypto';
import type { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import {
  MAX_CARRIED_CONTENT_BYTES,
  replyRefusalSchema,
  type ReplyRequest,
} from '../../contracts/inputs/reply.ts';
import { inputNumberOf } from '../../contracts/inputs/input-id.ts';
import { inputActorSchema, type InputKind, type ReplyName } from '../../contracts/wire/input-events.ts';
import type { InputRepository } from '../../db/inputs/input-repository.ts';
import type { InputRequestKey, ReplyContents } from '../../db/inputs/reply-contents.ts';
import { contentRefOf } from '../../write-session/content-ref.ts';
import { replyHashOf } from '../../protocol/inputs/input-request-state.ts';
import { WorkersMissingError } from '../../temporal/temporal-unavailable.ts';
import { replyUpdate } from '../../temporal/turn-messages.ts';
import type { TurnRepository } from '../../db/turns/turn-repository.ts';
import type { ReplyOutcome, InputRequests } from '../ports/turn-controls.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import type { SendTurnUpdate } from './send-turn-update.ts';

export interface InputRequestDeps {
  readonly sendUpdate: SendTurnUpdate;
  readonly turns: Pick<TurnRepository, 'find'>;
  readonly inputs: InputRepository;
  readonly replyContents: ReplyContents;
  readonly storage: StorageLimits;
}

/**
 * Creates the port to input requests. The workflow decides about a reply. If the workflow is gone, or an `edit` has
 * resolved the request before, the answer comes from the rows.
 */
export const createInputRequests = (deps: InputRequestDeps): InputRequests => ({
  find: (...args) => deps.inputs.find(...args),
  list: (selection) => deps.inputs.list(selection),
  reply: async (turnId, request, owner) => {
    if (request.reply === 'edit' && (await isAnswered(deps, turnId, request))) return { kind: 'resolved' };
    const outcome = await deps.sendUpdate(turnId, {
      definition: replyUpdate,
      request: () => withStoredContent(deps, turnId, request, owner),
      ...updateIdOf(request),
      isRefusal,
    });
    switch (outcome.kind) {
      case 'answered':
        // Closes the row now, so that lists of open requests are right at once. Otherwise the workflow's next activity
        // would close it.
        await deps.inputs.close(turnId, [outcome.value]);
        return { kind: 'resolved' };
      case 'refused':
        return refusedReplyOf(outcome.failure);
      case 'gone':
        return findReplyOutcome(deps, turnId, request);
      default:
        return outcome satisfies never;
    }
  },
});

const isRefusal = (type: unknown): boolean => replyRefusalSchema.safeParse(type).success;

/**
 * Returns the id of the update that carries a reply, so that a repeat adds nothing to the history. An `edit` has none:
 * until it resolves the request, each repeat is judged anew, since the problem with its arguments may have been fixed.
 */
const updateIdOf = (request: ReplyRequest): { readonly updateId?: string } => {
  if (request.reply === 'edit') return {};
  const identity = JSON.stringify(['reply', request.inputId, replyHashOf(request)]);
  return { updateId: createHash('sha256').update(identity).digest('hex') };
};

/** Reports whether this reply has resolved the request. */
const isAnswered = async ({ inputs }: InputRequestDeps, turnId: string, request: ReplyRequest) => {
  const row = await inputs.find(turnId, inputNumberOf(request.inputId) ?? 0);
  return row?.resolution?.replyHash === replyHashOf(request);
};

/** The kind of request for which a reply may bring a content, by the name of the reply. */
const TAKES_CONTENT: Partial<Record<ReplyName, InputKind>> = { answer: 'question', result: 'client_tool' };

/**
 * Stores a content that is too long for the workflow's history in Postgres, and returns the reply with its hash
 * instead. A shorter content stays in the reply. Nothing is stored for a reply that does not fit an open request.
 */
const withStoredContent = async (
  deps: InputRequestDeps,
  turnId: string,
  { content, ...request }: ReplyRequest,
  owner: string,
): Promise<ReplyRequest> => {
  if (content === undefined) return request;
  if (Buffer.byteLength(content) <= MAX_CARRIED_CONTENT_BYTES) return { ...request, content };
  const { sha256 } = contentRefOf(content);
  const { inputId, reply, ok } = request;
  // The workflow refuses a result without `ok`, so its content is not kept.
  const kind = reply === 'result' && ok === undefined ? undefined : TAKES_CONTENT[reply];
  if (kind) {
    await storeContent(deps, { turnId, n: inputNumberOf(inputId) ?? 0, kind }, { sha256, content, owner });
  }
  return { ...request, contentSha256: sha256 };
};

interface LongContent {
  readonly sha256: string;
  readonly content: string;
  readonly owner: string;
}

/** Stores a content and counts its bytes, unless an earlier reply has stored it. */
const storeContent = async (
  { replyContents, storage }: InputRequestDeps,
  key: InputRequestKey,
  { sha256, content, owner }: LongContent,
): Promise<void> => {
  // Looked up first, so that a repeat gets its answer although its key may store no more.
  if ((await replyContents.find(key.turnId, sha256)) !== undefined) return;
  const maxBytes = Buffer.byteLength(content);
  await storage.storeCounted({ owner, maxBytes, isStored: Boolean }, async (count) => {
    await count(maxBytes);
    return replyContents.store(key, sha256, content);
  });
};

const refusedReplyOf = ({ type, message, details }: ApplicationFailure): ReplyOutcome => {
  const closed = resolvedBySchema.safeParse(details?.[0]);
  return {
    kind: 'refused',
    code: replyRefusalSchema.parse(type),
    message,
    ...(closed.success && { closedBy: toClosedBy(closed.data) }),
  };
};

const resolvedBySchema = z.object({ reply: z.string(), by: inputActorSchema, at: z.string() });

const toClosedBy = ({ reply, by, at }: z.infer<typeof resolvedBySchema>) => ({
  reply,
  by: by.name ?? by.kind,
  at,
});

/**
 * Answers a reply from the rows of a turn whose workflow is gone. Throws WorkersMissingError if the request is open
 * there and the turn still runs.
 */
const findReplyOutcome = async (
  { inputs, turns }: InputRequestDeps,
  turnId: string,
  request: ReplyRequest,
): Promise<ReplyOutcome> => {
  const row = await inputs.find(turnId, inputNumberOf(request.inputId) ?? 0);
  if (!row) {
    return {
      kind: 'refused',
      code: 'input_not_found',
      message: `There is no input request ${request.inputId}.`,
    };
  }
  if (row.state === 'open' && (await turns.find(turnId))?.status === 'running') {
    throw new WorkersMissingError(new Error(`the workflow of turn ${turnId} does not answer`));
  }
  if (row.resolution?.replyHash === replyHashOf(request)) return { kind: 'resolved' };
  const resolution = row.resolution && toClosedBy(row.resolution);
  return {
    kind: 'refused',
    code: 'input_closed',
    message: resolution
      ? `The request is closed: ${resolution.reply} by ${resolution.by} at ${resolution.at}.`
      : 'The request is closed: its turn has ended.',
    ...(resolution && { closedBy: resolution }),
  };
};
