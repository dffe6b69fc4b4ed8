import type { SurvivingText } from './surviving-text.ts';
import type { TurnFrame } from './follow-turn.ts';

/** Somebody who watches a turn. `said` has taken the frame already. */
export interface TurnViewer {
  frame(frame: TurnFrame, said: SurvivingText): void;
}
