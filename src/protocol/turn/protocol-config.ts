import { type RunSettings, runSettingsSchema } from '../../contracts/budgets.ts';
import type { ProtocolConfig } from './ports.ts';

/**
 * Fills in the defaults: a null or undefined field means the default, as with `??`; 0 means 0. Throws RangeError,
 * naming the field, when one is out of its bounds.
 */
export const resolveConfig = (config: ProtocolConfig): RunSettings => {
  const given = Object.fromEntries(
    Object.entries(config).filter(([, value]) => (value ?? undefined) !== undefined),
  );
  const parsed = runSettingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0]);
  throw new RangeError(`${field}: ${issue?.message}, received ${JSON.stringify(given[field])}`);
};
