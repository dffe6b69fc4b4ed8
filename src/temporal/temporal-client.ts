import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { MIB } from '../contracts/values/units.ts';

/** Options with which a client tries to reconnect at least every half second. */
const CHANNEL_ARGS = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  // A page of a history is as large as its 256 events. Temporal ends a workflow when its history has 50 MB.
  'grpc.max_receive_message_length': 64 * MIB,
};

/** A client of one namespace, and its connection. */
export interface TemporalClient {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

/** Creates a client that connects at its first call, so that a process may start before Temporal answers. */
export const createTemporalClient = (options: ConnectionOptions, namespace: string): TemporalClient => {
  const connection = Connection.lazy({
    ...options,
    channelArgs: CHANNEL_ARGS,
    interceptors: [createRetryInterceptor()],
  });
  return { connection, namespace, client: new Client({ connection, namespace }) };
};

/**
 * Creates what repeats a call whose failure may pass, at pauses of at most a second, so that signals arrive soon after
 * an outage. With the library's defaults for reconnecting and repeating, signals failed after 20 s and came up to 11 s
 * late. The number of tries has no bound, so callers bound their calls with `client.withDeadline`.
 */
const createRetryInterceptor = () =>
  makeGrpcRetryInterceptor(
    defaultGrpcRetryOptions({
      maxAttempts: Number.MAX_SAFE_INTEGER,
      initialIntervalMs: () => 100,
      maxIntervalMs: () => 1_000,
    }),
  );
