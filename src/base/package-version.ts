import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** Version of this Orion, as package.json has it. */
export const packageVersion = (): string => {
  const path = new URL('../../package.json', import.meta.url);
  return packageSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).version;
};
