import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { TURN_SUPERSEDED } from '../src/contracts/payload/turn-activities.ts';

/** An activity found that this run may not act: the turn was reset or has been closed by somebody else. */
export const isTurnFenced = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === TURN_SUPERSEDED;
