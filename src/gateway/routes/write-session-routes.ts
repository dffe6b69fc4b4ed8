import { Router, type Request, type Response } from 'express';
import {
  writeSessionQuerySchema,
  type DraftAnswer,
  type WriteSessionMessage,
} from '../../contracts/http/write-sessions.ts';
import { requireVisible } from '../access/access.ts';
import type { Connections } from '../connections/connections.ts';
import type { AwaitListTurn } from '../guards/list-turns.ts';
import { foldAliases, projectAliases } from '../requests/field-aliases.ts';
import { jsonBody } from '../requests/json-body.ts';
import { parseRequest } from '../requests/validation.ts';
import { fromDatabase } from '../turns/turn-lookup.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import { beginSession } from '../write-session/begin-session.ts';
import { appendDraft } from '../write-session/draft-upload.ts';
import { cancelSession, undoSession } from '../write-session/end-session.ts';
import { requireFit } from '../write-session/content-intake.ts';
import { finalizeFromJson, finalizeFromRaw } from '../write-session/finalize-session.ts';
import { drainBody, requireJsonStream, requireRaw } from '../write-session/request-body.ts';
import { createSessionActivity, type NoteActivity } from '../write-session/session-activity.ts';
import { listAnswer, statusAnswer } from '../write-session/session-answers.ts';
import { createSessionLookup, requireOpen, type RequireSession } from '../write-session/session-lookup.ts';
import { readReference } from '../write-session/session-requests.ts';
import { sessionNotFound } from '../write-session/write-errors.ts';
import type { WriteSessionParts } from '../write-session/write-session-parts.ts';
import { sendLongJson } from './send-json.ts';

/** An entry weighs little more than its path, of at most 4 KiB, so their number bounds the bytes of an answer. */
const LIST_LENGTH = 50;

interface StoringParts extends WriteSessionParts {
  readonly storage: StorageLimits;
  readonly connections: Pick<Connections, 'expect'>;
  readonly awaitListTurn: AwaitListTurn;
}

interface RouteDeps extends StoringParts {
  readonly requireSession: RequireSession;
  readonly noteActivity: NoteActivity;
}

/**
 * `/api/write-session` (docs/write-sessions.md). To be mounted where no parser has touched the body: content is
 * read as a stream, so that it never stands in memory.
 */
export const createWriteSessionRoutes = (parts: StoringParts): Router => {
  const { sessions } = parts;
  const deps: RouteDeps = {
    ...parts,
    requireSession: createSessionLookup(parts),
    noteActivity: createSessionActivity({ touch: (id) => sessions.touch(id), now: () => Date.now() }),
  };
  const router = Router();
  router.post('/begin', ...jsonBody, async (req, res) => {
    res.json(await beginSession(parts, req));
  });
  addContentRoutes(router, deps);
  addViewRoutes(router, deps);
  addEndRoutes(router, deps);
  return router;
};

const addContentRoutes = (router: Router, deps: RouteDeps): void => {
  const { requireSession, maxContentBytes, connections } = deps;
  const taken = <T>(req: Request, answer: () => Promise<T>): Promise<T> => {
    connections.expect(req, 'upload');
    return drained(req, answer);
  };

  router.post('/finalize', requireJsonStream, async (req, res) => {
    res.json(await taken(req, () => finalizeFromJson(deps, req, res)));
  });

  router.put('/:sessionId/content', async (req, res) => {
    const answer = await taken(req, async () => {
      requireRaw(req);
      requireFit(req, maxContentBytes);
      return finalizeFromRaw(deps, req, res, await requireSession(req, req.params.sessionId));
    });
    res.json(answer);
  });

  router.post('/:sessionId/draft', async (req, res) => {
    const answer: DraftAnswer = await taken(req, async () => {
      requireRaw(req);
      const session = requireOpen(await requireSession(req, req.params.sessionId));
      return appendDraft(deps, req, session);
    });
    res.status(202).json(answer);
  });
};

const addViewRoutes = (router: Router, deps: RouteDeps): void => {
  const { sessions, rows, contents, targetBytes, requireSession, awaitListTurn } = deps;
  const answerStatus = async (req: Request, res: Response, sessionId: string): Promise<void> => {
    requireOpen(await requireSession(req, sessionId));
    const view = await sessions.status(sessionId);
    if (!view) throw sessionNotFound();
    const { projectId, targetFile } = requireOpen(view.row);
    const sizes = {
      draftBytes: await contents.drafts.size(sessionId),
      targetBytes: await targetBytes(projectId, targetFile),
    };
    res.json(statusAnswer(view.row, view.status, sizes));
  };
  router.get('/status', (req, res) => answerStatus(req, res, readReference(req.query)));
  router.get('/status/:sessionId', (req, res) => answerStatus(req, res, req.params.sessionId));

  router.get('/', async (req, res) => {
    const query = foldAliases(req.query, projectAliases);
    const { projectId } = parseRequest(writeSessionQuerySchema, query, 'query');
    requireVisible(req, projectId);
    await awaitListTurn(req, res);
    const list = listAnswer(await fromDatabase(rows.list(projectId, LIST_LENGTH)));
    await sendLongJson(res, JSON.stringify(list));
  });
};

const addEndRoutes = (router: Router, deps: RouteDeps): void => {
  const cancel = async (req: Request, res: Response, sessionId: string): Promise<void> => {
    const message: WriteSessionMessage = await cancelSession(deps, req, sessionId);
    res.json(message);
  };
  router.delete('/', ...jsonBody, (req, res) => cancel(req, res, readReference(req.body ?? req.query)));
  router.delete('/:sessionId', (req, res) => cancel(req, res, req.params.sessionId));

  router.post('/:sessionId/undo', async (req, res) => {
    const message: WriteSessionMessage = await undoSession(deps, req, req.params.sessionId);
    res.json(message);
  });
};

/** Whatever becomes of the request, its body is read to the end or let go. */
const drained = async <T>(req: Request, answer: () => Promise<T>): Promise<T> => {
  try {
    return await answer();
  } finally {
    drainBody(req);
  }
};
