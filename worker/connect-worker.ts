import { NativeConnection } from '@temporalio/worker';
import { StartError } from '../src/base/start-error.ts';
import type { TemporalSettings } from '../src/config/temporal-connection.ts';

/** Connects this worker with Temporal. Throws StartError when nobody answers, after some seconds of trying. */
export const connectWorker = async ({
  address,
  connection,
}: Pick<TemporalSettings, 'address' | 'connection'>): Promise<NativeConnection> => {
  try {
    return await NativeConnection.connect(connection ?? {});
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new StartError(`TEMPORAL_ADDRESS: no Temporal server answers at ${address} (${reason})`, { cause });
  }
};
