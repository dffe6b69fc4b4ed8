/** Checks what tests of whole systems rely on: their client never mistakes a refusal for a turn. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { ChatClient } from './chat-client.ts';

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/**
 * Starts a gateway that answers with these statuses, one after the other, and then with 500. Keeps the bodies that it
 * was sent.
 */
const answering = async (...statuses: readonly number[]) => {
  const bodies: string[] = [];
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => (body += part.toString()));
    req.on('end', () => {
      const status = statuses[bodies.push(body) - 1] ?? 500;
      res.writeHead(status).end(`{"code":"${status}"}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { chat: new ChatClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), bodies };
};

it('the client starts the same turn again when a busy gateway has no place for it', async () => {
  const { chat, bodies } = await answering(503, 503, 202);
  await chat.start({ content: 'hi', requestId: 'one' });
  expect(bodies).toHaveLength(3);
  expect(new Set(bodies).size).toBe(1);
});

it('a refused turn fails the test', async () => {
  const { chat } = await answering(409);
  await expect(chat.start({ content: 'hi', requestId: 'one' })).rejects.toThrow(
    'received 409 {"code":"409"}',
  );
});

it('the client does not wait for the stream of an unknown turn', async () => {
  const { chat } = await answering(404);
  await expect(chat.follow('one')).rejects.toThrow('expected the stream of one, received 404');
});
