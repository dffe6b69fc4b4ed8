import { randomUUID } from 'node:crypto';
import type { Attack, Target } from './attack.ts';
import { LONG_ANSWER } from './http-attacks.ts';
import { runLoops, send } from './sockets.ts';

/** The size of the largest contents here, in bytes, just below the default limit of 10 MiB. */
const TEN_MEGABYTES = 10_000_000;
const ESCAPES = '\\u0001';

const one = (name: string, request: Attack['run']): Attack => ({
  name: `gateway: ${name}`,
  run: (target, signal) => runLoops(1, signal, () => request(target, signal)),
});

/** Requests a path and reads the answer to its end, because writing it is work for the gateway, too. */
const read = async (target: Target, signal: AbortSignal, path: string): Promise<void> => {
  await (await send(target, signal, path))?.arrayBuffer();
};

const post = async (
  { baseUrl, key }: Target,
  signal: AbortSignal,
  path: string,
  { body, type = 'application/json', method = 'POST' }: { body: string; type?: string; method?: string },
): Promise<void> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const answer = await fetch(`${baseUrl}${path}`, { method, headers, body, signal });
  await answer.arrayBuffer();
};

const begin = async (target: Target, signal: AbortSignal): Promise<string> => {
  const target_file = `stalls/${randomUUID()}.md`;
  const json = { target_file, operation: 'create', projectId: target.projectId };
  const begun = await send(target, signal, '/api/write-session/begin', { json });
  if (!begun?.ok) throw new Error('no session was begun');
  const { session_id: id } = (await begun.json()) as { session_id: string };
  return id;
};

const refusedBody = (name: string, body: string): Attack =>
  one(name, (target, signal) => post(target, signal, '/api/turns', { body }));

const bodies = [
  refusedBody('a body that nests 125,000 deep', '['.repeat(250_000)),
  refusedBody('objects in objects, cut off', '{"a":'.repeat(80_000)),
  refusedBody(
    'a body of 20,000 unknown names',
    JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name${i}`, i]))),
  ),
  one('a message of escapes', (target, signal) =>
    post(target, signal, '/api/chat/messages', {
      body: `{"projectId":"${target.projectId}","sender":"system","content":"${ESCAPES.repeat(40_000)}"}`,
    }),
  ),
];

const contents = [
  one('ten megabytes of content in escapes', async (target, signal) => {
    const session_id = await begin(target, signal);
    const content = ESCAPES.repeat(TEN_MEGABYTES / ESCAPES.length);
    const body = `{"session_id":"${session_id}","content":"${content}"}`;
    await post(target, signal, '/api/write-session/finalize', { body });
  }),
  one('ten megabytes of content in characters of four bytes', async (target, signal) => {
    const id = await begin(target, signal);
    const body = '😀'.repeat(TEN_MEGABYTES / 4);
    const path = `/api/write-session/${id}/content`;
    await post(target, signal, path, { body, type: 'text/plain', method: 'PUT' });
  }),
  one('ten megabytes of line breaks', async (target, signal) => {
    const id = await begin(target, signal);
    const path = `/api/write-session/${id}/content`;
    await post(target, signal, path, { body: '\n'.repeat(TEN_MEGABYTES), type: 'text/plain', method: 'PUT' });
  }),
];

/** A note of 250,000 characters, each of which JSON writes as six bytes. */
const HEAVY_NOTE = '\u0001'.repeat(250_000);

const pages: readonly Attack[] = [
  {
    name: 'gateway: a page of 100 heavy notes',
    async run(target, signal) {
      const { projectId } = target;
      const json = { projectId, conversationId: 'heavy', sender: 'system', content: HEAVY_NOTE };
      for (let sent = 0; sent < 100 && !signal.aborted; sent += 1) {
        await send(target, signal, '/api/chat/messages', { json });
      }
      const path = `/api/chat/messages?projectId=${projectId}&conversationId=heavy&limit=100`;
      await runLoops(1, signal, () => read(target, signal, path));
    },
  },
  {
    name: 'gateway: the stream of an ended turn of 1,000 events',
    rules: LONG_ANSWER,
    async run(target, signal) {
      const turnId = randomUUID();
      const content = 'attack:long';
      const json = { projectId: target.projectId, conversationId: turnId, requestId: turnId, content };
      await (await send(target, signal, '/api/chat/messages_two_stage', { json }))?.text();
      await runLoops(1, signal, () => read(target, signal, `/api/turns/${turnId}/events`));
    },
  },
  one('traces, conversations, turns and sessions, as many as a page holds', async (target, signal) => {
    for (const list of ['trace/logs', 'conversations', 'turns', 'write-session']) {
      await read(target, signal, `/api/${list}?projectId=${target.projectId}&limit=100`);
    }
  }),
  one('an address of 15 KB of escapes', (target, signal) =>
    read(target, signal, `/api/trace/logs?projectId=${'%00'.repeat(5_000)}`),
  ),
  one('the description of the API', (target, signal) => read(target, signal, '/openapi.json')),
];

/** The most expensive forms of what a client can ask of a gateway, one request at a time. */
export const worstRequests: readonly Attack[] = [...bodies, ...contents, ...pages];
