import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire between a writer and its gateway that can be cut and frozen. */
export interface TcpProxy {
  readonly address: string;
  readonly connections: number;
  /** Drops the bytes of all present connections from now on, as a process does that got SIGSTOP. */
  freeze(): void;
  /** Drops the bytes of one direction: what the writer sends, or what it is answered. */
  freezeHalf(side: 'writer' | 'gateway'): void;
  thaw(): void;
  cut(): void;
  close(): Promise<void>;
}

export const startProxy = async (gatewayPort: number): Promise<TcpProxy> => {
  const pairs = new Set<[Socket, Socket]>();
  /** All sockets, including frozen ones, which do not notice that the other side has gone. */
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (writer) => {
    connections += 1;
    const gateway = connect({ port: gatewayPort, host: '127.0.0.1', noDelay: true });
    const pair: [Socket, Socket] = [writer, gateway];
    pairs.add(pair);
    writer.pipe(gateway).pipe(writer);
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        pairs.delete(pair);
        if (!writer.isPaused()) for (const other of pair) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const each = (act: (writer: Socket, gateway: Socket) => void) => {
    for (const [writer, gateway] of pairs) act(writer, gateway);
  };
  const proxy: TcpProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    freeze: () =>
      each((writer, gateway) => {
        writer.unpipe().pause();
        gateway.unpipe().pause();
      }),
    freezeHalf: (side) =>
      each((writer, gateway) => void (side === 'writer' ? writer : gateway).unpipe().pause()),
    thaw: () => each((writer, gateway) => void writer.pipe(gateway).pipe(writer)),
    cut: () =>
      each((writer, gateway) => {
        writer.resetAndDestroy();
        gateway.resetAndDestroy();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
};
