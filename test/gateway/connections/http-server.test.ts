/** Covers listening and closing over real sockets. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { CONNECTION_LIMITS } from '../../../src/gateway/connections/connection-limits.ts';
import { systemClock } from '../../../src/base/timing/clock.ts';
import { Connections } from '../../../src/gateway/connections/connections.ts';
import { listenHttp as listenWith } from '../../../src/gateway/connections/http-server.ts';

const listen = (host: string, port: number) =>
  listenWith(host, port, new Connections(CONNECTION_LIMITS, systemClock));

it('says which variables name an address that is taken', async () => {
  const first = await listen('127.0.0.1', 0);
  await expect(listen('127.0.0.1', first.port)).rejects.toThrow(
    `ORION_HOST, ORION_PORT: cannot listen on 127.0.0.1:${first.port}`,
  );
  await first.close(100);
});

it.each([
  ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
])('listening on %s is reachable by its local URL', async (host, url) => {
  const server = await listen(host, 0);
  server.serve((_req, res) => res.end('here'));
  expect(server.localUrl).toMatch(url);
  expect(await (await fetch(server.localUrl)).text()).toBe('here');
  await server.close(1_000);
});

it('closing waits for answers under way, not for idle connections', async () => {
  const server = await listen('127.0.0.1', 0);
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  const { promise: answer, resolve: answerNow } = Promise.withResolvers<void>();
  server.serve((req, res) => {
    if (req.url === '/idle') {
      res.end('idle');
    } else {
      onAsked();
      void answer.then(() => res.end('late'));
    }
  });
  const agent = new Agent({ keepAlive: true });
  const [idle] = (await once(get(`${server.localUrl}/idle`, { agent }), 'response')) as [IncomingMessage];
  await once(idle.resume(), 'end');
  const late = fetch(`${server.localUrl}/late`);
  await asked;
  const closed = server.close(60_000);
  answerNow();
  expect(await (await late).text()).toBe('late');
  await closed;
  agent.destroy();
});

it('closing cuts what does not end within its grace', async () => {
  const server = await listen('127.0.0.1', 0);
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
  server.serve(() => onAsked());
  const stuck = fetch(server.localUrl).catch((error: TypeError) => error.message);
  await asked;
  await server.close(1);
  expect(await stuck).toBe('fetch failed');
});
