import { Router } from 'express';
import { type FileList, filesQuerySchema } from '../../contracts/http/file-api.ts';
import { listTree } from '../../files/workspace/tree.ts';
import { requireVisible } from '../access/access.ts';
import { refuseFile } from '../errors/file-refusal.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface FileRouteDeps extends Pick<GatewayDeps, 'workspace'> {
  readonly enterListQueue: EnterListQueue;
}

/** Largest number of entries of one folder that are listed. A person would hardly read more. */
const MAX_ENTRIES = 1_000;

/**
 * Creates the route `GET /api/files`: the entries of one folder of a project, as a tool would list them (docs/tools.md
 * "The workspace").
 */
export const createFileRoutes = ({ workspace, enterListQueue }: FileRouteDeps): Router => {
  const router = Router();
  router.get('/files', async (req, res) => {
    const { projectId, path } = parseRequest(
      filesQuerySchema,
      foldAliases(req.query, PROJECT_ALIASES),
      'query',
    );
    requireVisible(req, projectId);
    await enterListQueue(req, res);
    const list = await listFolder(workspace, projectId, path).catch(refuseFile);
    await sendLongJson(res, JSON.stringify(list));
  });
  return router;
};

const listFolder = async (
  workspace: FileRouteDeps['workspace'],
  projectId: string,
  path: string,
): Promise<FileList> => {
  // A request that only reads must not make the folder of a project that does not exist.
  if (!(await workspace.hasFolder(projectId))) return { path, entries: [], truncated: false };
  const options = { depth: 1, includesIgnored: false, limit: MAX_ENTRIES };
  const { paths, isTruncated } = await listTree(workspace, projectId, path, options);
  return { path, entries: [...paths], truncated: isTruncated };
};
