import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ApiError } from './api-error.ts';

/** Answers what the workspace refuses: a path that leads to nothing is not found, one in use may be asked for again. */
export const refuseFile = (error: unknown): never => {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ApiError(error.transient ? 'overloaded' : 'not_found', error.message);
};
