import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range, end excluded, from which ports are drawn. It lies below the ports that systems give to connections and to
 * port 0, so the system gives no drawn port to another process before the caller listens on it.
 */
const PORTS = [20_000, 32_000] as const;

/** Draws a port of 127.0.0.1 on which nobody listens at this moment. */
export const drawFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(...PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};
