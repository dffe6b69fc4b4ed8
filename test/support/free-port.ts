import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to connections and to port 0: nobody gets one before it is listened on. */
const PORTS = [20_000, 32_000] as const;

/** A port nobody listens on just now. */
export const freePort = async (): Promise<number> => {
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
