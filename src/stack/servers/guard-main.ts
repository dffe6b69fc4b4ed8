/*
 * `node src/stack/servers/guard-main.ts <host:port to listen at> <host:port of the server> [<further host>,…]` runs the
 * guard of `npm start` as a process of its own, for a server in another container.
 */
import { parseHost } from '../../base/hosts/host-rules.ts';
import { enterProcess } from '../../process/process-entry.ts';
import { startGuardProxy, type GuardProxyOptions } from './guard-proxy.ts';

const parseAddress = (text = ''): { host: string; port: number } => {
  const { host, port } = parseHost(text) ?? {};
  if (host === undefined || port === undefined) {
    throw new Error(`expected host:port, received ${JSON.stringify(text)}`);
  }
  return { host, port: Number(port) };
};

const readArguments = (): GuardProxyOptions => {
  const [own, target, further = ''] = process.argv.slice(2);
  const allowedHosts = further.split(',').filter((entry) => entry !== '');
  return { ...parseAddress(own), target: parseAddress(target), allowedHosts, serverName: target ?? '' };
};

enterProcess('orion-guard', readArguments, async (options) => {
  const guard = await startGuardProxy(options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => guard.close());
});
