import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { TurnInput } from '../src/contracts/turn-input.ts';
import type { TurnProgress } from '../src/contracts/turn-messages.ts';
import { ORION_STATUS } from '../src/contracts/search-attributes.ts';
import type { TurnStatus } from '../src/contracts/model-call.ts';

/** Markdown for the Web UI's "current details": where the turn stands within its budgets. */
export const showProgress = (input: TurnInput, { phase, cycle, cancelRequested }: TurnProgress): void => {
  const where = phase ? `${phase.kind} phase ${phase.index}` : 'starting';
  const { maxPhaseCycles, maxDuplicateAttempts, maxTurnMs, maxTurnTokens } = input.budgets;
  setCurrentDetails(
    [
      `**${where}**${cancelRequested ? ' · cancel requested' : ''}`,
      '',
      `- tools executed: ${cycle} of ${maxPhaseCycles}`,
      `- duplicates allowed: ${maxDuplicateAttempts}`,
      `- time: ${maxTurnMs / 1000} s · tokens: ${maxTurnTokens}`,
    ].join('\n'),
  );
};

/** Set once at the end: visibility writes are billed. */
export const showStatus = (input: TurnInput, status: TurnStatus): void => {
  if (input.searchAttributes) upsertSearchAttributes([{ key: ORION_STATUS, value: status }]);
};
