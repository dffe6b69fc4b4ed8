import { z } from 'zod';

const pingSchema = z.object({ ping: z.number() });

/** The messages that a child sends to the supervisor over the IPC channel. */
export const childMessageSchema = z.union([
  z.object({ ready: z.literal(true), port: z.number().int().optional() }),
  z.object({ pong: z.number() }),
]);
/** A message of a child to its supervisor. */
export type ChildMessage = z.infer<typeof childMessageSchema>;

/**
 * Tells the process that has started this one, over the IPC channel, that this one serves. `port` is the port on which
 * it listens. Without a channel it does nothing.
 */
export const reportReady = (port?: number): void =>
  tellSupervisor(port === undefined ? { ready: true } : { ready: true, port });

/**
 * Connects a gateway, worker or demo model to the supervisor that has started it. Returns the function that reports
 * readiness, with the port on which the process listens, if any.
 *
 * - It answers the supervisor's pings, so that a frozen process can be told from a busy one.
 * - It calls `stop` once when the supervisor is gone, since nothing else would then end this process.
 * - Without a supervisor (in a container, at a terminal) it does nothing.
 */
export const joinSupervisor = (stop: () => void): ((port?: number) => void) => {
  process.on('message', (message) => {
    const ping = pingSchema.safeParse(message);
    if (ping.success) tellSupervisor({ pong: ping.data.ping });
  });
  process.once('disconnect', stop);
  // A process that has finished its work must not be kept alive by this channel.
  process.channel?.unref();
  return reportReady;
};

const tellSupervisor = (message: ChildMessage): void => {
  // If the supervisor dies between the check and the send, `disconnect` reports it.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};
