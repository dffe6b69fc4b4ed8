import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Temporal at another address, `address` (host and port), that can be cut. */
export interface CuttableServer {
  readonly address: string;
  /** Ends all connections and accepts no more until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a server that passes every connection on to `address`. */
export const openCuttableServer = async (address: string): Promise<CuttableServer> => {
  const { hostname, port } = new URL(`http://${address}`);
  const sockets = new Set<Socket>();
  let isCut = false;
  const tie = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  };
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const onward = connect(Number(port), hostname);
    tie(socket, onward);
    tie(onward, socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => void (isCut = false),
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
