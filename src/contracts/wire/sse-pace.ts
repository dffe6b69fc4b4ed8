/** Milliseconds between two signs of life of an event stream, which are SSE comments (docs/http-api.md). */
export const STREAM_HEARTBEAT_MS = 15_000;

/**
 * Milliseconds after which a reader considers a silent stream dead. Three signs of life are missing then, so its
 * gateway may have vanished without closing the connection.
 */
export const STREAM_SILENCE_MS = 3 * STREAM_HEARTBEAT_MS;
