import { type Budgets, budgetsSchema } from '../contracts/budgets.ts';
import type { ProtocolConfig } from './ports.ts';

export interface Settings {
  readonly budgets: Budgets;
  readonly toolResultRole: 'tool' | 'system';
}

const TOOL_RESULT_ROLES = ['tool', 'system'] as const;

const resolveBudgets = (config: ProtocolConfig): Budgets => {
  // A null or undefined field means the default, as with `??`; 0 means 0.
  const given = Object.fromEntries(
    Object.entries(config).filter(([, value]) => (value ?? undefined) !== undefined),
  );
  const parsed = budgetsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0]);
  throw new RangeError(`${field}: ${issue?.message}, received ${JSON.stringify(given[field])}`);
};

/** The settings of a run; throws, naming the field, when one is out of its bounds. */
export const resolveConfig = (config: ProtocolConfig): Settings => {
  const toolResultRole = config.toolResultRole ?? 'tool';
  if (!TOOL_RESULT_ROLES.includes(toolResultRole)) {
    throw new RangeError(
      `toolResultRole: expected tool or system, received ${JSON.stringify(toolResultRole)}`,
    );
  }
  return { budgets: resolveBudgets(config), toolResultRole };
};
