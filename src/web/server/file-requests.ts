/** What the page asks its gateway of files (docs/http-api.md). */
import { type FileList, fileListSchema } from '../../contracts/http/file-api.ts';
import { ask, type Outcome, query } from './gateway-request.ts';

/** What a folder of a project holds; `.` is its root. */
export const listFiles = (fields: {
  readonly projectId: string;
  readonly path: string;
}): Promise<Outcome<FileList>> => ask(fileListSchema, 'GET', `/api/files?${query(fields)}`);
