import { isOutcomeUnknown } from '../../contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';

type FileEvent = Extract<TurnEvent, { type: 'write_session' }>;

const STAGES: Readonly<Record<FileEvent['stage'], string>> = {
  begun: 'being written',
  content_complete: 'complete, not yet in place',
  committed: 'written',
  open: 'left open',
  failed: 'not written',
};

/** Returns in words how far a file has come. A write of which nobody knows the outcome is not called a failed one. */
export const fileStageWords = ({ stage, error }: Pick<FileEvent, 'stage' | 'error'>): string =>
  stage === 'failed' && isOutcomeUnknown(error) ? 'perhaps written' : STAGES[stage];
