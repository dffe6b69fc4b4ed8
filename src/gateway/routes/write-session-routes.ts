import { Router, type Request, type Response } from 'express';
import type { DraftResponse, WriteSessionMessage } from '../../contracts/http/write-session-api.ts';
import type { Connections } from '../connections/connections.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { jsonBody } from '../requests/json-body.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import { handleFinalizeJson, handleFinalizeRaw } from '../write-session/handle-finalize.ts';
import { handleDraft } from '../write-session/handle-draft.ts';
import { handleBegin } from '../write-session/handle-begin.ts';
import { handleCancel, handleUndo } from '../write-session/handle-end.ts';
import { drainBody, requireFit, requireJsonStream, requireRaw } from '../write-session/content-intake.ts';
import { createSessionTouches, type TouchSession } from '../write-session/session-touches.ts';
import { createSessionLookup, requireOpen, type RequireSession } from '../write-session/session-lookup.ts';
import { readReference } from '../write-session/session-requests.ts';
import { handleList, handleStatus, handleTarget } from '../write-session/handle-views.ts';
import type { WriteSessionParts } from '../write-session/write-session-parts.ts';
import { sendLongJson } from '../responses/send-json.ts';

interface WriteSessionRouteDeps extends WriteSessionParts {
  readonly storage: StorageLimits;
  readonly connections: Pick<Connections, 'expect'>;
  readonly enterListQueue: EnterListQueue;
}

interface HandlerDeps extends WriteSessionRouteDeps {
  readonly requireSession: RequireSession;
  readonly touchSession: TouchSession;
}

/**
 * Creates the routes of `/api/write-session` (docs/write-sessions.md). Mount them before any parser of bodies: content
 * is read as a stream, so it is never in memory as a whole.
 */
export const createWriteSessionRoutes = (parts: WriteSessionRouteDeps): Router => {
  const { writeSessions } = parts;
  const deps: HandlerDeps = {
    ...parts,
    requireSession: createSessionLookup(parts),
    touchSession: createSessionTouches({ touch: (id) => writeSessions.touch(id), now: () => Date.now() }),
  };
  const router = Router();
  addBeginRoute(router, deps);
  addContentRoutes(router, deps);
  addViewRoutes(router, deps);
  addEndRoutes(router, deps);
  return router;
};

const addBeginRoute = (router: Router, deps: HandlerDeps): void => {
  router.post('/begin', ...jsonBody, async (req, res) => {
    res.json(await handleBegin(deps, req));
  });
};

const addContentRoutes = (router: Router, deps: HandlerDeps): void => {
  const { requireSession, maxContentBytes, connections } = deps;
  const takeContent = <T>(req: Request, handle: () => Promise<T>): Promise<T> => {
    connections.expect(req, 'upload');
    return handleAndDrain(req, handle);
  };

  router.post('/finalize', requireJsonStream, async (req, res) => {
    res.json(await takeContent(req, () => handleFinalizeJson(deps, req, res)));
  });

  router.put('/:sessionId/content', async (req, res) => {
    const response = await takeContent(req, async () => {
      requireRaw(req);
      requireFit(req, maxContentBytes);
      return handleFinalizeRaw(deps, req, res, await requireSession(req, req.params.sessionId));
    });
    res.json(response);
  });

  router.post('/:sessionId/draft', async (req, res) => {
    const response: DraftResponse = await takeContent(req, async () => {
      requireRaw(req);
      const session = requireOpen(await requireSession(req, req.params.sessionId));
      return handleDraft(deps, req, session);
    });
    res.status(202).json(response);
  });
};

const addViewRoutes = (router: Router, deps: HandlerDeps): void => {
  router.get('/status', async (req, res) => {
    res.json(await handleStatus(deps, req, readReference(req.query)));
  });
  router.get('/status/:sessionId', async (req, res) => {
    res.json(await handleStatus(deps, req, req.params.sessionId));
  });
  router.get('/:sessionId/target', async (req, res) => {
    await sendLongJson(res, JSON.stringify(await handleTarget(deps, req, res, req.params.sessionId)));
  });
  router.get('/', async (req, res) => {
    await sendLongJson(res, JSON.stringify(await handleList(deps, req, res)));
  });
};

const addEndRoutes = (router: Router, deps: HandlerDeps): void => {
  const cancel = async (req: Request, res: Response, sessionId: string): Promise<void> => {
    const message: WriteSessionMessage = await handleCancel(deps, req, sessionId);
    res.json(message);
  };
  router.delete('/', ...jsonBody, (req, res) => cancel(req, res, readReference(req.body ?? req.query)));
  router.delete('/:sessionId', (req, res) => cancel(req, res, req.params.sessionId));

  router.post('/:sessionId/undo', async (req, res) => {
    const message: WriteSessionMessage = await handleUndo(deps, req, req.params.sessionId);
    res.json(message);
  });
};

/**
 * Runs `handle`. However it ends, the rest of the body is read and dropped, so that the client gets to read the
 * response.
 */
const handleAndDrain = async <T>(req: Request, handle: () => Promise<T>): Promise<T> => {
  try {
    return await handle();
  } finally {
    drainBody(req);
  }
};
