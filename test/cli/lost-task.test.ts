import { expect, it } from '@jest/globals';
import { WORKER_ATTEMPTS } from '../../src/cli/http/retry.ts';
import { loadCliConfig } from '../../src/config/settings/cli-settings.ts';
import { budgetsSchema, MAX_TURN_MS } from '../../src/contracts/turn/budgets.ts';
import { TEMPORAL_CALL_MS } from '../../src/temporal/call-deadline.ts';
import { workflowTaskTimeoutMs } from '../../src/turn-service/turn-start-options.ts';

it('the tries of a call outlast the workflow task of a lost worker, however large its turn may become', () => {
  const triesMs = WORKER_ATTEMPTS * TEMPORAL_CALL_MS + (WORKER_ATTEMPTS - 1) * loadCliConfig({}).retryDelayMs;
  const budgets = budgetsSchema.parse({ maxTurnMs: MAX_TURN_MS });
  const [longest = 0] = (['two_stage', 'standard'] as const)
    .map((protocol) => workflowTaskTimeoutMs({ protocol, budgets }))
    .toSorted((a, b) => b - a);
  expect(triesMs).toBeGreaterThan(longest);
});
