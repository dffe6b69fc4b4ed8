import { z } from 'zod';

const pingSchema = z.object({ ping: z.number() });

/** Messages a child sends to the supervisor over the IPC channel. */
export const childMessageSchema = z.union([
  z.object({ ready: z.literal(true), port: z.number().int().optional() }),
  z.object({ pong: z.number() }),
]);
export type ChildMessage = z.infer<typeof childMessageSchema>;

const send = (message: ChildMessage): void => {
  // A supervisor that dies between check and send is reported by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/**
 * Notifies the process that started this one, over the channel between them, that this one serves. Without a channel
 * nobody is notified.
 */
export const reportReady = (port?: number): void =>
  send(port === undefined ? { ready: true } : { ready: true, port });

/**
 * Connects a gateway, worker or demo model with the supervisor that started it. Returns the function that reports
 * readiness, with the port the process listens on, if any.
 *
 * - It answers the supervisor's pings, so that a frozen process can be told from a busy one.
 * - It calls `stop` once when the supervisor is gone, since nothing else would then end this process.
 * - Without a supervisor (a container, a terminal) it does nothing.
 */
export const joinSupervisor = (stop: () => void): ((port?: number) => void) => {
  process.on('message', (message) => {
    const ping = pingSchema.safeParse(message);
    if (ping.success) send({ pong: ping.data.ping });
  });
  process.once('disconnect', stop);
  // Listening must not keep a process alive that has finished its work.
  process.channel?.unref();
  return reportReady;
};
