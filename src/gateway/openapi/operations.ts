/* Building blocks that many routes share in the API description. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { compatibleFrameSchema } from '../../contracts/http/compatible-frames.ts';
import { apiErrorSchema } from '../../contracts/http/errors.ts';
import { toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { turnEventSchema } from '../../contracts/wire/turn-event.ts';

/** Returns the description of a response with a JSON body. */
export const jsonResponse = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});

/**
 * The responses of a failed request. They have the same body for every route and status that describes none of its own.
 */
export const errorResponses: ZodOpenApiResponsesObject = {
  '4XX': jsonResponse('The request was refused; `code` says why.', apiErrorSchema),
  default: jsonResponse('The request failed; `code` says why.', apiErrorSchema),
};

const eventStream = (description: string, schema: z.ZodType) => ({
  description,
  headers: z.object({ 'X-Turn-Id': z.string(), 'X-Request-Id': z.string() }),
  content: { 'text/event-stream': { schema } },
});

/**
 * A stream of a turn in the compatible format. OpenAPI 3.1 cannot describe a stream of events, so the schema is that of
 * the `data` of each event.
 */
export const compatibleStream = eventStream(
  'Server-sent events without names; `data` of each is one of these frames, `id`, if it has one, resumes after it.',
  compatibleFrameSchema,
);

/** A stream of a turn in the format that the client asks for, native or compatible. */
export const eitherStream = eventStream(
  'Server-sent events. `native`: named by their type (`turn_error` for errors), `data` of each is the event. ' +
    '`compatible`: without names, `data` of each is a frame as of `POST /api/chat/messages`.',
  z.union([turnEventSchema, toolOutputSchema, compatibleFrameSchema]),
);

/** The response to a client that resumes a stream after its last event: nothing is left to send. */
export const deliveredResponse = {
  204: { description: 'The turn has ended and every event was delivered.' },
};

/** The parameters by which a stream is resumed: the header that `EventSource` sends, or the query. */
export const resumeParameters = {
  header: z.object({
    'Last-Event-ID': z
      .string()
      .optional()
      .describe('Id of the last event that you received. The stream continues after it.'),
  }),
  query: z.object({
    after: z.string().optional().describe('The same as `Last-Event-ID`, which wins if both are sent.'),
  }),
};

/** The path parameter of routes of one turn. */
export const turnIdParameter = { path: z.object({ turnId: z.string() }) };
/** The path parameter of routes of one write session. */
export const sessionIdParameter = { path: z.object({ sessionId: z.string() }) };

/** Returns the description of a required JSON body. */
export const jsonRequestBody = (schema: z.ZodType) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** Returns the description of a route, with its own responses and those of a failed request. */
export const describeOperation = (
  summary: string,
  responses: ZodOpenApiResponsesObject,
  rest: Partial<ZodOpenApiOperationObject> = {},
): ZodOpenApiOperationObject => ({ summary, ...rest, responses: { ...responses, ...errorResponses } });
