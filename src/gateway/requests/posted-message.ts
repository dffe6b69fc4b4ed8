import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { withSafeTexts } from '../../base/json/safe-json.ts';
import { MAX_CONTENT_BYTES } from '../../contracts/http/message-api.ts';
import { messageBodySchema, type MessageBody } from '../../contracts/http/turn-api.ts';
import { MAX_CLIENT_TOOL_BYTES } from '../../contracts/tools/client-tools.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { ApiError } from '../errors/api-error.ts';
import { foldAliases, MESSAGE_ALIASES } from './field-aliases.ts';
import type { NewNote } from '../../db/conversations/message-repository.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import { describeValue, parseRequest, validationError } from './validation.ts';
import { type OfferedTurnOptions, readTurnOptions } from './turn-options.ts';
import { requestHashOf } from './request-hash.ts';
import { KIB } from '../../contracts/values/units.ts';

const MAX_METADATA_BYTES = 64 * KIB;

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
 * Reads the body of a route that takes a message. `routeProtocol` is the protocol of the route, if it has one. Text
 * that Postgres cannot hold is replaced, not refused, since a paste from a terminal is not the user's fault. Throws
 * ApiError.
 */
export const readPostedMessage = (
  req: Request,
  settings: OfferedTurnOptions,
  routeProtocol?: ProtocolName,
): PostedMessage => {
  const input = foldAliases(req.body, MESSAGE_ALIASES);
  // Checked before the schemas, which look at every single value in these fields.
  requireSize('metadata', fieldJson(input, 'metadata'), MAX_METADATA_BYTES);
  requireSize('tools', fieldJson(input, 'tools'), MAX_CLIENT_TOOL_BYTES);
  const body = parseRequest(messageBodySchema, input, 'body');
  requireSize('content', body.content, MAX_CONTENT_BYTES);
  const { projectId, conversationId, sender, mode } = body;
  const clientId = clientIdOf(body, req.get('Idempotency-Key'));
  const id = clientId ?? randomUUID();
  const message = {
    projectId,
    conversationId,
    content: safeText(body.content),
    metadata: withSafeTexts(body.metadata),
  };
  if (sender !== 'user') return { kind: 'note', note: { ...message, sender, requestId: id } };
  requireModeInBody(body);
  const parent = body.parentTurnId === undefined ? {} : { parentTurnId: body.parentTurnId };
  const request = {
    ...message,
    mode,
    ...parent,
    ...clientToolsOf(body),
    ...readTurnOptions(body, settings, routeProtocol),
  };
  const turn = { turnId: id, ...request, requestHash: requestHashOf(request) };
  return { kind: 'turn', turn, isIdGiven: clientId !== undefined };
};

/**
 * Throws `validation_failed` for the mode `plan` in `metadata` of a message whose own mode is another one. The gateway
 * would replace it, and a turn that was meant only to read could write.
 */
const requireModeInBody = ({ mode, metadata }: MessageBody): void => {
  if (mode === 'plan' || metadata['mode'] !== 'plan') return;
  throw validationError([
    { field: 'metadata.mode', expected: '`mode` beside `metadata`, not within it', received: '"plan"' },
  ]);
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
  throw validationError([{ field, expected: `the requestId ${requestId}`, received: describeValue(key) }]);
};
