import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';

/** The groups of operations in the API description, with the purpose of each. */
export const TAGS = {
  Turns: 'Starting, watching, stopping and finding turns.',
  Conversations: 'What was said, and where.',
  'Write sessions': 'Long files, written through a session that locks its target.',
  Operations: 'Health, readiness, figures, traces, and this description.',
} as const;

/**
 * The `operationId` and the group of every operation, by method and path. Generated clients name their functions by
 * `operationId`.
 */
const NAMES: Readonly<Record<string, readonly [operationId: string, tag: keyof typeof TAGS]>> = {
  'post /api/chat/messages': ['postMessage', 'Turns'],
  'post /api/chat/messages_two_stage': ['postTwoStageMessage', 'Turns'],
  'get /api/chat/messages': ['listMessages', 'Conversations'],
  'get /api/conversations': ['listConversations', 'Conversations'],
  'get /api/conversations/{conversationId}': ['getConversation', 'Conversations'],
  'patch /api/conversations/{conversationId}': ['renameConversation', 'Conversations'],
  'delete /api/conversations/{conversationId}': ['removeConversation', 'Conversations'],
  'get /api/conversations/{conversationId}/context': ['getContext', 'Conversations'],
  'get /api/turns': ['listTurns', 'Turns'],
  'post /api/turns': ['startTurn', 'Turns'],
  'get /api/turns/{turnId}': ['getTurn', 'Turns'],
  'get /api/turns/{turnId}/events': ['streamTurnEvents', 'Turns'],
  'post /api/turns/{turnId}/cancel': ['cancelTurn', 'Turns'],
  'get /api/turns/{turnId}/changes': ['getTurnChanges', 'Turns'],
  'get /api/turns/{turnId}/prompts/{step}': ['getSentPrompt', 'Turns'],
  'post /api/turns/{turnId}/undo': ['undoTurn', 'Turns'],
  'get /api/inputs': ['listInputs', 'Turns'],
  'get /api/inputs/news': ['streamInputNews', 'Turns'],
  'get /api/turns/{turnId}/inputs/{n}': ['getInput', 'Turns'],
  'post /api/turns/{turnId}/inputs/{n}': ['replyToInput', 'Turns'],
  'post /api/turns/{turnId}/messages': ['steerTurn', 'Turns'],
  'get /api/write-session': ['listWriteSessions', 'Write sessions'],
  'delete /api/write-session': ['cancelWriteSessionByReference', 'Write sessions'],
  'post /api/write-session/begin': ['beginWriteSession', 'Write sessions'],
  'post /api/write-session/finalize': ['finalizeWriteSession', 'Write sessions'],
  'put /api/write-session/{sessionId}/content': ['putWriteSessionContent', 'Write sessions'],
  'post /api/write-session/{sessionId}/draft': ['appendWriteSessionDraft', 'Write sessions'],
  'get /api/write-session/status': ['getWriteSessionByReference', 'Write sessions'],
  'get /api/write-session/status/{sessionId}': ['getWriteSession', 'Write sessions'],
  'get /api/write-session/{sessionId}/target': ['getWriteSessionTarget', 'Write sessions'],
  'delete /api/write-session/{sessionId}': ['cancelWriteSession', 'Write sessions'],
  'post /api/write-session/{sessionId}/undo': ['undoWriteSession', 'Write sessions'],
  'get /api/trace/logs': ['listTraces', 'Operations'],
  'get /api/sign-in': ['getSignIn', 'Operations'],
  'post /api/sign-in': ['signIn', 'Operations'],
  'delete /api/sign-in': ['signOut', 'Operations'],
  'get /api/costs': ['listCosts', 'Operations'],
  'get /api/days': ['listDays', 'Operations'],
  'get /api/files': ['listFiles', 'Operations'],
  'get /api/info': ['getInfo', 'Operations'],
  'get /': ['getFrontPage', 'Operations'],
  'get /health': ['getHealth', 'Operations'],
  'get /ready': ['getReadiness', 'Operations'],
  'get /metrics': ['getMetrics', 'Operations'],
  'get /openapi.json': ['getDescription', 'Operations'],
};

/** Returns the paths with a name and a group for each operation. Throws Error for an operation that `NAMES` lacks. */
export const withOperationNames = (paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations as Record<string, ZodOpenApiOperationObject>).map(([method, operation]) => [
          method,
          named(`${method} ${path}`, operation),
        ]),
      ),
    ]),
  );

const named = (route: string, operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject => {
  const name = NAMES[route];
  if (!name) throw new Error(`${route} has no operationId`);
  const [operationId, tag] = name;
  return { operationId, tags: [tag], ...operation };
};
