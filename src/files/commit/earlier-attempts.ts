import type { WritePlan } from '../../contracts/payload/session-activities.ts';
import { stateOfTarget } from '../workspace/target-file.ts';
import type { TargetState } from '../workspace/target-file.ts';
import { onDisk, WorkspaceError } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { removeTempsOf } from '../workspace/write-temp.ts';
import type { CommitSession } from './commit-sessions.ts';
import { ledElsewhere } from './commit-failure.ts';
import { isSame } from './compose-file.ts';

/** `done`: the target holds what was planned. `none`: it holds what it held before, or nothing was planned. */
export type EarlierAttempts = 'none' | 'done' | 'changed';

/**
 * Ends all attempts up to `lastFence` and says what came of them. First their temps, then the look: an attempt
 * that renames in between is seen, one that wakes up later finds no temp. Throws CommitRefusal or WorkspaceError.
 */
export const endEarlierAttempts = async (
  workspace: Workspace,
  { sessionId, projectId, targetFile, targetKey, plan }: CommitSession,
  lastFence: number,
): Promise<EarlierAttempts> => {
  try {
    return await workspace.withPlace(projectId, targetFile, { makeDirectories: false }, (place, key) =>
      onDisk(targetFile, async () => {
        if (key !== targetKey) throw ledElsewhere(targetFile);
        await removeTempsOf(place.directory, sessionId, lastFence);
        const earlier = plan === null ? 'none' : compare(await stateOfTarget(place), plan);
        // Whoever renamed may have died before it made that durable.
        if (earlier === 'done') await place.directory.sync();
        return earlier;
      }),
    );
  } catch (error) {
    // Without its directory there is neither a temp nor a target.
    if (error instanceof WorkspaceError && error.code === 'not_found')
      return plan === null ? 'none' : compare(null, plan);
    throw error;
  }
};

const compare = (state: TargetState | null, { before, after }: WritePlan): EarlierAttempts => {
  if (isSame(state, after)) return 'done';
  return isSame(state, before) ? 'none' : 'changed';
};
