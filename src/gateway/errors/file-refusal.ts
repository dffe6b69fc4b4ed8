import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ApiError } from './api-error.ts';

/**
 * Throws the answer to a refusal of the workspace: a path that leads nowhere is not found, one in use may be asked for
 * again.
 */
export const refuseFile = (error: unknown): never => {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ApiError(error.isTransient ? 'overloaded' : 'not_found', error.message);
};
