import type { SurvivingText } from './surviving-text.ts';
import type { TurnFrame } from './follow-turn.ts';

/** Somebody who watches a turn. `said` has taken the frame already. */
export interface TurnViewer {
  /** The next frame waits for what is returned, so that lines stand in the order in which things happened. */
  frame(frame: TurnFrame, said: SurvivingText): void | Promise<void>;
  /** Nothing more is shown, be it because the turn has ended, the user left or the gateway went away. */
  close?(): void;
}
