import { WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ApiError } from './api-error.ts';

/**
 * Throws ApiError for a refusal of the workspace: `overloaded` if the same request may succeed a moment later,
 * otherwise `not_found`. Throws any other error unchanged.
 */
export const refuseFile = (error: unknown): never => {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ApiError(error.isTransient ? 'overloaded' : 'not_found', error.message);
};
