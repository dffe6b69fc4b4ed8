import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { joinSupervisor } from '../../../src/process/supervised.ts';

/**
 * `node far-server.ts <host:port> <ms>` forwards to a TCP server with this delay; what is sent arrives whole and in
 * order.
 */
const [address = '', milliseconds = ''] = process.argv.slice(2);
const oneWay = Number(milliseconds) / 2;
const [host = '', port = ''] = address.split(':');
const ready = joinSupervisor(() => process.exit());

const carry = (from: Socket, to: Socket): void => {
  from.on('data', (data) => setTimeout(() => to.write(data), oneWay));
  from.on('error', () => undefined);
  from.on('close', () => setTimeout(() => to.destroy(), oneWay));
};

const server = createServer({ noDelay: true }, (client) => {
  const far = connect({ host, port: Number(port), noDelay: true });
  carry(client, far);
  carry(far, client);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
