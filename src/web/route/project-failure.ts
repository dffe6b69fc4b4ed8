import { idSchema } from '../../contracts/values/ids.ts';
import { toPrintable } from '../../contracts/values/printable-name.ts';
import type { Failure } from '../http/request-failure.ts';

/**
 * Returns why the page cannot show the project that the query part of an address names: it is no valid id, or it is not
 * among `projects`, which are those that the person may use. Null means all. Returns undefined if the project can be
 * shown or the address names none.
 */
export const findProjectFailure = (
  search: string,
  projects: readonly string[] | null,
): Failure | undefined => {
  const projectId = new URLSearchParams(search).get('project') ?? '';
  if (projectId === '') return undefined;
  const id = idSchema.safeParse(projectId);
  if (!id.success) {
    const [issue] = id.error.issues;
    return {
      code: 'validation_failed',
      message: `“${toPrintable(projectId)}” is not the id of a project: ${issue?.message ?? ''}`,
    };
  }
  if (projects === null || projects.includes(projectId)) return undefined;
  return { code: 'not_found', message: `There is no project ${projectId}, or this key does not open it.` };
};
