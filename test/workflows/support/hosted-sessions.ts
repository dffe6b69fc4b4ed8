import type { KeepWriteSessionInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { KeepOutcome } from '../../../src/protocol/ports/write-session-port.ts';
import { writeSessionEndedSignal } from '../../../src/temporal/write-session-messages.ts';
import type { WriteSessionsUnderContract } from '../../protocol/support/write-session-port-contract.ts';
import type { HostPorts } from './hosted-ports.ts';

/** Starts a turn whose first keep has this outcome unless it succeeds; resolves to its port of write sessions. */
export const openHostedSessions = async (
  host: HostPorts,
  outcome: KeepOutcome | undefined,
): Promise<WriteSessionsUnderContract> => {
  const keeps: KeepWriteSessionInput[] = [];
  const { writeSessions, ask, handle, cancel } = await host(() => ({
    keepWriteSession: async (input) => {
      keeps.push(input);
      if (outcome && keeps.length === 1) return outcome;
      return input.commit ? { kind: 'committed', content: input.content } : { kind: 'kept' };
    },
  }));
  return {
    writeSessions,
    noteReplaced: (replaced) => ask('writeSessions', 'noteReplaced', replaced),
    kept: () => keeps.length,
    end: (ended) => handle.signal(writeSessionEndedSignal, ended),
    cancel,
  };
};
