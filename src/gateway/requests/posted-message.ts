import { randomUUID, createHash } from 'node:crypto';
import type { Request } from 'express';
import { withSafeTexts } from '../../base/json/safe-json.ts';
import { MAX_CONTENT_BYTES } from '../../contracts/http/message-api.ts';
import { messageBodySchema, turnOptionsSchema, type MessageBody } from '../../contracts/http/turn-api.ts';
import { MAX_CLIENT_TOOL_BYTES } from '../../contracts/tools/client-tools.ts';
import { fieldsOf } from '../../contracts/values/record.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { chooseProtocol, type RequestedProtocol } from '../../protocol/protocols/choose-protocol.ts';
import { ApiError } from '../errors/api-error.ts';
import { foldAliases, messageAliases } from './field-aliases.ts';
import type { NewNote } from '../../db/conversations/message-repository.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import { describeValue, parseRequest, validationFailed } from './validation.ts';
import { canonicalJson } from '../../protocol/calls/canonical-json.ts';

/**
 * Returns a hash that is the same for two requests that are the same. It covers project, conversation, content, mode,
 * resolved protocol, metadata, tools and parent (docs/http-api.md "Ids"). The order of object keys does not count.
 */
export const requestHash = (turn: Omit<NewTurn, 'turnId' | 'requestHash' | 'maxPhaseCycles'>): string => {
  const { projectId, conversationId, content, mode, protocol, metadata, clientTools, parentTurnId } = turn;
  const parts = [projectId, conversationId, content, mode, protocol, metadata];
  // Left out when absent, so that a request without tools and parent has the same hash as before these existed.
  const more = [
    ...(clientTools ? [clientTools] : []),
    ...(parentTurnId === undefined ? [] : [{ parentTurnId }]),
  ];
  const identity = canonicalJson([...parts, ...more]);
  return createHash('sha256').update(identity).digest('hex');
};

const MAX_METADATA_BYTES = 64 * 1024;

/** The protocols, cycles and models of this installation that a posted message may ask for. */
export interface ProtocolSettings {
  readonly offersTwoStage: boolean;
  /** Highest `metadata.maxPhaseCycles`. */
  readonly maxPhaseCyclesLimit: number;
  /** The values that `metadata.model` may have. A turn that names none gets the first. */
  readonly models: readonly [string, ...string[]];
}

/** A message that was posted: for the model, or only to be stored. */
export type PostedMessage =
  | {
      readonly kind: 'turn';
      readonly turn: NewTurn;
      /** True when the client chose the turn's id, so the turn may exist already. */
      readonly isIdGiven: boolean;
    }
  | { readonly kind: 'note'; readonly note: NewNote };

/**
 * Reads the body of a route that takes a message. `forced` is the protocol of the route, if it has one. Text that
 * Postgres cannot hold is replaced, not refused, since a paste from a terminal is not the user's fault. Throws
 * ApiError.
 */
export const readPostedMessage = (
  req: Request,
  settings: ProtocolSettings,
  forced?: ProtocolName,
): PostedMessage => {
  const input = foldAliases(req.body, messageAliases);
  // Checked before the schemas, which look at every single value in these fields.
  requireSize('metadata', fieldJson(input, 'metadata'), MAX_METADATA_BYTES);
  requireSize('tools', fieldJson(input, 'tools'), MAX_CLIENT_TOOL_BYTES);
  const body = parseRequest(messageBodySchema, input, 'body');
  requireSize('content', body.content, MAX_CONTENT_BYTES);
  const { projectId, conversationId, sender, mode } = body;
  const named = clientIdOf(body, req.get('Idempotency-Key'));
  const id = named ?? randomUUID();
  const message = {
    projectId,
    conversationId,
    content: safeText(body.content),
    metadata: withSafeTexts(body.metadata),
  };
  if (sender !== 'user') return { kind: 'note', note: { ...message, sender, requestId: id } };
  const parent = body.parentTurnId === undefined ? {} : { parentTurnId: body.parentTurnId };
  const request = {
    ...message,
    mode,
    ...parent,
    ...clientToolsOf(body),
    ...readTurnOptions(body, settings, forced),
  };
  const turn = { turnId: id, ...request, requestHash: requestHash(request) };
  return { kind: 'turn', turn, isIdGiven: named !== undefined };
};

const clientToolsOf = ({ tools = [] }: MessageBody): Pick<NewTurn, 'clientTools'> =>
  tools.length === 0 ? {} : { clientTools: withSafeTexts(tools) };

/**
 * Returns the JSON of a field. Returns an empty text for an absent field, and for one that is too deep to be written,
 * which its schema refuses.
 */
const fieldJson = (input: unknown, field: string): string => {
  try {
    return JSON.stringify(fieldsOf(input)[field]) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
};

const requireSize = (field: string, text: string, maxBytes: number): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new ApiError(
    'payload_too_large',
    `${field}: expected at most ${maxBytes} bytes, received ${bytes}.`,
    {
      details: [{ field, expected: `at most ${maxBytes} bytes`, received: `${bytes} bytes` }],
    },
  );
};

/**
 * Returns the id that the client chose in its body or in `Idempotency-Key`, or undefined if it chose none. Throws
 * `validation_failed` if both name different ids, since the id becomes that of the turn (docs/turns.md "Starting a
 * turn").
 */
const clientIdOf = ({ requestId }: MessageBody, key: string | undefined): string | undefined => {
  if (key === undefined) return requestId;
  const field = 'Idempotency-Key';
  const id = parseRequest(messageBodySchema.shape.requestId, key, field);
  if (requestId === undefined || requestId === id) return id;
  throw validationFailed([{ field, expected: `the requestId ${requestId}`, received: describeValue(key) }]);
};

/**
 * Returns the protocol of a turn. Throws ApiError: `two_stage_disabled` on the two-stage route when that protocol is
 * switched off, and `validation_failed` for a requested protocol that is not offered.
 */
export const requireProtocol = (requested: RequestedProtocol): ProtocolName => {
  const choice = chooseProtocol(requested);
  switch (choice.kind) {
    case 'chosen':
      return choice.protocol;
    case 'disabled':
      throw new ApiError('two_stage_disabled', 'The two-stage protocol is switched off (TWO_STAGE_ENABLED).');
    case 'invalid':
      throw validationFailed([
        {
          field: 'metadata.protocol',
          expected: choice.expected,
          received: describeValue(choice.received),
        },
      ]);
    default:
      return choice satisfies never;
  }
};

/**
 * Reads the options in `metadata` (docs/protocol.md "Choice of protocol" and "Budgets"). Each is granted or refused,
 * never altered. Throws ApiError.
 */
const readTurnOptions = (
  { metadata }: MessageBody,
  { offersTwoStage, maxPhaseCyclesLimit, models }: ProtocolSettings,
  forced: ProtocolName | undefined,
): Pick<NewTurn, 'protocol' | 'maxPhaseCycles' | 'approvals' | 'inputs' | 'model' | 'writeSession'> => {
  const { protocol, maxPhaseCycles, approvals, inputs, model, writeSession } = parseRequest(
    turnOptionsSchema,
    metadata,
    'metadata',
    {
      prefix: 'metadata.',
    },
  );
  const refuse = (field: string, expected: string, value: unknown) =>
    validationFailed([{ field: `metadata.${field}`, expected, received: describeValue(value) }]);
  const chosen = requireProtocol({
    isTwoStageRoute: forced === 'two_stage',
    requested: protocol,
    offersTwoStage,
  });
  if (maxPhaseCycles !== undefined && maxPhaseCycles > maxPhaseCyclesLimit) {
    throw refuse('maxPhaseCycles', `an integer from 0 to ${maxPhaseCyclesLimit}`, maxPhaseCycles);
  }
  if (model !== undefined && !models.includes(model)) {
    throw refuse('model', `one of ${models.join(', ')}`, model);
  }
  return {
    protocol: chosen,
    ...(maxPhaseCycles !== undefined && { maxPhaseCycles }),
    ...(approvals !== undefined && { approvals }),
    ...(inputs !== undefined && { inputs }),
    ...(model !== undefined && { model }),
    ...(writeSession !== undefined && { writeSession }),
  };
};
