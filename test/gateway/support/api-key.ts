import type { ApiKey } from '../../../src/access/api-keys.ts';

/** Returns an API key that opens every project, except for the fields that a test gives it. */
export const apiKey = (name: string, fields: Partial<ApiKey> = {}): ApiKey => ({
  name,
  digest: Buffer.alloc(32),
  opensAll: true,
  projects: undefined,
  approves: true,
  opens: () => true,
  ...fields,
});
