import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutProxy {
  readonly url: string;
  /** Connections from now on and those open: nothing passes any more, nothing is closed. */
  freeze(): void;
  /** New connections pass again; those that were frozen stay dead. */
  thaw(): void;
  /** Cuts every connection hard, both ends, before its `count`-th packet from now on to the server; 1 = the next. */
  cutBefore(count: number): void;
  /** As `cutBefore`, but the packet still reaches the server: only its answer is lost. */
  cutAfter(count: number): void;
  /** Connections pass whole again. */
  mend(): void;
  close(): Promise<void>;
}

interface Wire {
  frozen: boolean;
  /** Packets to the server that still pass, and whether the one after them reaches it. */
  cut: { left: number; deliver: boolean } | undefined;
}

/** A wire to a TCP server that can be frozen or cut at any packet. */
export const startCutProxy = async (serverUrl: string): Promise<CutProxy> => {
  const target = new URL(serverUrl);
  const wire: Wire = { frozen: false, cut: undefined };
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    join(wire, client, server);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(serverUrl);
  url.port = String((listener.address() as AddressInfo).port);

  return {
    url: url.href,
    ...controls(wire),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
};

/** Once frozen, a connection stays dead. */
const join = (wire: Wire, client: Socket, server: Socket): void => {
  let dead = wire.frozen;
  client.on('data', (data) => {
    dead ||= wire.frozen;
    if (!dead) forward(wire, client, server, data);
  });
  server.on('data', (data) => {
    dead ||= wire.frozen;
    if (!dead && !client.destroyed) client.write(data);
  });
  client.on('close', () => server.end());
  server.on('close', () => {
    if (!dead) client.destroy();
  });
};

const forward = ({ cut }: Wire, client: Socket, server: Socket, data: Buffer): void => {
  if (cut) cut.left -= 1;
  if (!cut || cut.left > 0) {
    server.write(data);
    return;
  }
  if (cut.deliver) server.end(data);
  else server.destroy();
  client.resetAndDestroy();
};

const controls = (wire: Wire): Omit<CutProxy, 'url' | 'close'> => ({
  freeze: () => {
    wire.frozen = true;
  },
  thaw: () => {
    wire.frozen = false;
  },
  cutBefore: (count) => {
    wire.cut = { left: count, deliver: false };
  },
  cutAfter: (count) => {
    wire.cut = { left: count, deliver: true };
  },
  mend: () => {
    wire.cut = undefined;
  },
});
