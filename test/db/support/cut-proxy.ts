import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutProxy {
  readonly url: string;
  /** Freezes open connections and later ones: nothing passes through them, and none is closed. */
  freeze(): void;
  /** Lets new connections pass again; the frozen ones stay dead. */
  thaw(): void;
  /** Cuts every connection at both ends, before its `count`-th packet to the server from now on; 1 is the next one. */
  cutBefore(count: number): void;
  /** Does the same as `cutBefore`, but the packet still reaches the server, so that only its answer is lost. */
  cutAfter(count: number): void;
  /** Lets connections pass uncut again. */
  mend(): void;
  close(): Promise<void>;
}

interface Wire {
  isFrozen: boolean;
  /** How many packets to the server still pass, and whether the one after them reaches it. */
  cut: { left: number; isDelivered: boolean } | undefined;
}

/** Starts a proxy to a TCP server that can be frozen, or cut at any packet. */
export const startCutProxy = async (serverUrl: string): Promise<CutProxy> => {
  const target = new URL(serverUrl);
  const wire: Wire = { isFrozen: false, cut: undefined };
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

/** Passes bytes between a client and the server; a connection that was frozen once stays dead. */
const join = (wire: Wire, client: Socket, server: Socket): void => {
  let isDead = wire.isFrozen;
  client.on('data', (data) => {
    isDead ||= wire.isFrozen;
    if (!isDead) forward(wire, client, server, data);
  });
  server.on('data', (data) => {
    isDead ||= wire.isFrozen;
    if (!isDead && !client.destroyed) client.write(data);
  });
  client.on('close', () => server.end());
  server.on('close', () => {
    if (!isDead) client.destroy();
  });
};

const forward = ({ cut }: Wire, client: Socket, server: Socket, data: Buffer): void => {
  if (cut) cut.left -= 1;
  if (!cut || cut.left > 0) {
    server.write(data);
    return;
  }
  if (cut.isDelivered) server.end(data);
  else server.destroy();
  client.resetAndDestroy();
};

const controls = (wire: Wire): Omit<CutProxy, 'url' | 'close'> => ({
  freeze: () => {
    wire.isFrozen = true;
  },
  thaw: () => {
    wire.isFrozen = false;
  },
  cutBefore: (count) => {
    wire.cut = { left: count, isDelivered: false };
  },
  cutAfter: (count) => {
    wire.cut = { left: count, isDelivered: true };
  },
  mend: () => {
    wire.cut = undefined;
  },
});
