import type { Request, Response } from 'express';
import { accessOf, requireProject, ownerOf } from '../access/access.ts';
import { ApiError, serverUnavailableError } from '../errors/api-error.ts';
import type { MessageRepository, NewNote, StoredMessage } from '../../db/conversations/message-repository.ts';
import { toChatMessage } from '../responses/chat-message.ts';
import type { GatewayMetrics } from '../health/gateway-metrics.ts';
import { adoptHttpRequestId } from '../requests/http-request-id.ts';
import type { PostedMessage } from '../requests/posted-message.ts';
import { requireBudget, withBudget } from '../admission/spend-limit.ts';
import type { StartLimit } from '../admission/start-limit.ts';
import type { SpendRepository } from '../../db/usage/spend-repository.ts';
import { isStorageRefusal, type StorageLimits } from '../storage/storage-limits.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import type { StartOutcome, TurnStarter } from '../ports/turn-starts.ts';
import type { LiveTurns } from '../ports/live-turns.ts';
import type { TurnReader } from '../ports/turn-views.ts';

export interface MessageIntakeDeps {
  readonly starter: TurnStarter;
  readonly watchedTurns: Pick<LiveTurns, 'expect'>;
  readonly messages: Pick<MessageRepository, 'findNote' | 'insertNote'>;
  readonly metrics: Pick<GatewayMetrics, 'turnStarted'>;
  readonly startLimit: StartLimit;
  readonly storage: StorageLimits;
  readonly spend: Pick<SpendRepository, 'loadToday'>;
  readonly turns: Pick<TurnReader, 'find'>;
}

/** Takes in messages that start turns, and notes. All routes that accept such messages share it. */
export interface MessageIntake {
  /**
   * Starts the turn, or attaches to it if the same request has started it before. Resolves once its workflow is
   * started. Rejects with ApiError, also when the turn is stored and will start once Temporal is back.
   */
  startTurn(
    req: Request,
    res: Response,
    posted: Extract<PostedMessage, { kind: 'turn' }>,
  ): Promise<'started' | 'attached'>;
  /** Stores a message that needs no model call, and answers 201 with it. Rejects with ApiError. */
  storeNote(req: Request, res: Response, note: NewNote): Promise<void>;
}

/**
 * Creates the intake of messages, over the ports that store, start and count. A new turn passes these limits in this
 * order:
 *
 * - what its key may spend on a day (`requireBudget`),
 * - starts in a minute, and turns of its key that run at once (`StartLimit`),
 * - stored bytes of its key and free space (`StorageLimits`),
 * - the load of the whole system (`LoadLimit`, which the starter asks).
 */
export const createMessageIntake = (deps: MessageIntakeDeps): MessageIntake => ({
  async startTurn(req, res, { turn, isIdGiven }) {
    const { starter, watchedTurns, metrics, startLimit } = deps;
    const { turnId, projectId, conversationId, mode, protocol } = turn;
    requireProject(req, projectId);
    adoptHttpRequestId(res, turnId);
    const isRepeat = () => isKnown(deps, { turn, isIdGiven });
    await requireBudget(deps.spend, req, isRepeat);
    const release = await startLimit.admitStart(req, res, { turn, isIdGiven });
    const outcome = await storeMessage(deps, req, { ...turn, isRepeat, isStored: isTurnStored }, () =>
      starter.start(withBudget(req, turn), accessOf(req).name),
    ).finally(release);
    if (outcome.kind !== 'started' && outcome.kind !== 'attached') throw startRefusedError(outcome);
    res.setHeader('X-Turn-Id', turnId);
    if (outcome.kind === 'attached') return 'attached';
    watchedTurns.expect(turnId);
    metrics.turnStarted(turnId, protocol);
    req.log.info({ turnId, projectId, conversationId, mode, protocol }, 'turn started');
    return 'started';
  },
  async storeNote(req, res, note) {
    requireProject(req, note.projectId);
    adoptHttpRequestId(res, note.requestId);
    await deps.startLimit.admitNote(req, res);
    const { projectId, requestId } = note;
    const { kind, message } = await storeMessage(
      deps,
      req,
      {
        ...note,
        isRepeat: async () =>
          (await withDatabaseDeadline(deps.messages.findNote(projectId, requestId))) !== undefined,
        isStored: (outcome) => outcome.kind === 'inserted',
      },
      () => withDatabaseDeadline(deps.messages.insertNote(note)),
    );
    if (kind === 'exists' && !isSameNote(note, message)) throw idempotencyConflictError();
    res.status(201).json(toChatMessage(message));
  },
});

interface CountedMessage<T> {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Reports whether the message is stored already, so its bytes need not be counted. */
  readonly isRepeat: () => Promise<boolean>;
  /** Reports whether an outcome of storing means that this request has stored the message. */
  readonly isStored: (outcome: T) => boolean;
}

/** Stores a message by `store`, and counts its bytes for its key. If they exceed a limit, only a repeat may go on. */
const storeMessage = async <T>(
  { storage }: Pick<MessageIntakeDeps, 'storage'>,
  req: Request,
  { content, metadata, isRepeat, isStored }: CountedMessage<T>,
  store: () => Promise<T>,
): Promise<T> => {
  const maxBytes = Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify(metadata));
  try {
    return await storage.storeCounted({ owner: ownerOf(req), maxBytes, isStored }, async (count) => {
      await count(maxBytes);
      return store();
    });
  } catch (error) {
    if (isStorageRefusal(error) && (await isRepeat())) return store();
    throw error;
  }
};

/** Reports whether a start has stored its turn, which may still have to wait for Temporal. */
const isTurnStored = (outcome: StartOutcome): boolean =>
  outcome.kind === 'started' || (outcome.kind === 'unavailable' && outcome.turnId !== undefined);

/**
 * Reports whether the project has a turn of this id. The request then stores nothing: it attaches to the turn, or
 * conflicts with it.
 */
const isKnown = async (
  { turns }: Pick<MessageIntakeDeps, 'turns'>,
  { turn, isIdGiven }: { readonly turn: NewTurn; readonly isIdGiven: boolean },
): Promise<boolean> =>
  isIdGiven && (await withDatabaseDeadline(turns.find(turn.turnId)))?.projectId === turn.projectId;

const idempotencyConflictError = (): ApiError =>
  new ApiError(
    'idempotency_conflict',
    'This requestId belongs to a different request, or to a turn that was deleted.',
  );

const isSameNote = (note: NewNote, stored: StoredMessage): boolean =>
  note.sender === stored.sender &&
  note.conversationId === stored.conversationId &&
  note.content === stored.content;

type StartRefusal = Exclude<StartOutcome, { kind: 'started' | 'attached' }>;

const startRefusedError = (outcome: StartRefusal): ApiError => {
  switch (outcome.kind) {
    case 'turn_in_progress':
      return new ApiError('turn_in_progress', 'Another turn runs in this conversation.', {
        details: {
          turnId: outcome.turnId,
          ...(outcome.waitingFor !== undefined && { waitingFor: outcome.waitingFor }),
        },
      });
    case 'unknown_parent':
      return new ApiError('turn_not_found', `There is no turn ${outcome.turnId} in this conversation.`);
    case 'idempotency_conflict':
      return idempotencyConflictError();
    case 'unavailable':
      return serverUnavailableError(outcome.server, outcome.turnId);
    case 'overloaded':
      return new ApiError('overloaded', `Too many turns are ${outcome.cause}. Try again later.`, {
        retryAfterSeconds: outcome.retryAfterSeconds,
      });
    default:
      return outcome satisfies never;
  }
};
