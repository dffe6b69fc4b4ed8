/** Milliseconds between two signs of life of a stream that has nothing else to say (docs/http-api.md). */
export const STREAM_HEARTBEAT_MS = 15_000;

/**
 * Milliseconds after which a silent stream is dead, since three signs of life are missing: its gateway may have
 * vanished without a word.
 */
export const STREAM_SILENCE_MS = 3 * STREAM_HEARTBEAT_MS;
