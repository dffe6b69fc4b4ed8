import { randomUUID } from 'node:crypto';
import type { Rule } from '../../support/fake-model/script.ts';
import type { Attack, Target } from './attack.ts';
import { openUnreadSocket, untilAborted, runLoops, requestHead, send } from './sockets.ts';

/** A note of 250,000 characters, each of which JSON writes as six bytes. */
const HEAVY_NOTE = '\u0001'.repeat(250_000);
const NOTES = 100;
const TEN_MEGABYTES = 'x'.repeat(10_000_000);

const note = (target: Target, signal: AbortSignal) =>
  send(target, signal, '/api/chat/messages', {
    json: { projectId: target.projectId, sender: 'system', content: HEAVY_NOTE },
  });

const heavyLists: Attack = {
  name: 'lists of 100 heavy notes, on sockets that do not read',
  async run(target, signal) {
    for (let sent = 0; sent < NOTES && !signal.aborted; sent += 1) await note(target, signal);
    const line = `GET /api/chat/messages?projectId=${target.projectId}&limit=100`;
    const list = `${requestHead(target, line)}\r\n\r\n`;
    for (let opened = 0; opened < 40; opened += 1) openUnreadSocket(target, list, signal);
    await runLoops(10, signal, async () => {
      const path = `/api/chat/messages?projectId=${target.projectId}&limit=100`;
      await (await send(target, signal, path))?.arrayBuffer();
    });
  },
};

const halfRequests: Attack = {
  name: 'connections that never finish a request',
  async run(target, signal) {
    const body = requestHead(
      target,
      'POST /api/turns',
      'Content-Type: application/json',
      'Content-Length: 1000',
    );
    for (let opened = 0; opened < 300; opened += 1) {
      openUnreadSocket(target, '', signal);
      openUnreadSocket(target, 'GET /health HTTP/1.1\r\nHos', signal);
      if (opened < 100) openUnreadSocket(target, `${body}\r\n\r\n{`, signal);
    }
    await untilAborted(signal);
  },
};

/** An answer of 1,000 events, which the model gives to a turn that asks for it. */
export const LONG_ANSWER: readonly Rule[] = [
  {
    match: { user: 'attack:long' },
    responses: [
      {
        steps: [
          ...Array.from({ length: 1_000 }, (_, i) => ({ text: `${i} ${'long '.repeat(26)}\n` })),
          { finish: 'stop' },
          { done: true },
        ],
      },
    ],
    repeat: true,
  },
];

const deafViewers: Attack = {
  name: '100 viewers of an ended turn that never read',
  rules: LONG_ANSWER,
  async run(target, signal) {
    const turnId = randomUUID();
    const json = {
      projectId: target.projectId,
      conversationId: turnId,
      requestId: turnId,
      content: 'attack:long',
    };
    await (await send(target, signal, '/api/chat/messages_two_stage', { json }))?.text();
    const stream = `${requestHead(target, `GET /api/turns/${turnId}/events`)}\r\n\r\n`;
    for (let opened = 0; opened < 100; opened += 1) openUnreadSocket(target, stream, signal);
    await untilAborted(signal);
  },
};

const contentForNobody: Attack = {
  name: 'ten megabytes of content for sessions that are not there',
  run: (target, signal) =>
    runLoops(4, signal, () =>
      send(target, signal, '/api/write-session/finalize', {
        json: { content: TEN_MEGABYTES, session_id: randomUUID() },
      }),
    ),
};

const readyLoops: Attack = {
  name: '50 loops of /ready without a key',
  run: (target, signal) =>
    runLoops(50, signal, async () => {
      await (await fetch(`${target.baseUrl}/ready`, { signal })).arrayBuffer();
    }),
};

const tinyDrafts: Attack = {
  name: 'drafts of one byte',
  async run(target, signal) {
    const begun = await send(target, signal, '/api/write-session/begin', {
      json: { target_file: `drafts/${randomUUID()}.md`, operation: 'create', projectId: target.projectId },
    });
    if (!begun?.ok) return;
    const { session_id: id } = (await begun.json()) as { session_id: string };
    let offset = 0;
    await runLoops(1, signal, async () => {
      const answer = await fetch(`${target.baseUrl}/api/write-session/${id}/draft`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${target.key}`,
          'content-type': 'text/plain',
          'upload-offset': String(offset),
        },
        body: 'x',
        signal,
      });
      await answer.arrayBuffer();
      if (answer.ok) offset += 1;
    });
  },
};

const jsonBombs: Attack = {
  name: 'JSON bombs',
  run: (target, signal) => {
    const bombs = [
      '['.repeat(250_000),
      `{${'"a":{'.repeat(40_000)}`,
      `{"projectId":"${'\\u0000'.repeat(40_000)}"}`,
    ];
    return runLoops(8, signal, async (round) => {
      const body = bombs[round % bombs.length] ?? '';
      await fetch(`${target.baseUrl}/api/turns`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
        body,
        signal,
      });
    });
  },
};

/**
 * The size of the bodies, just below the 64 KiB at which a refused body makes its client wait for the whole pause
 * (`src/gateway/guards/large-bodies.ts`).
 */
const SMALL_BYTES = 63 * 1024;

const smallBodies: Attack = {
  name: 'bodies of 63 KiB that are refused',
  run: (target, signal) => {
    const bodies = [
      `{"projectId":"${'\\u0000'.repeat(SMALL_BYTES / 6 - 10)}"}`,
      '['.repeat(SMALL_BYTES),
      `{${Array.from({ length: SMALL_BYTES / 12 }, (_, i) => `"k${i}":[{}]`).join()}}`.slice(
        0,
        SMALL_BYTES - 1,
      ) + '}',
      `[${'{},'.repeat(SMALL_BYTES / 3 - 2)}{}]`,
    ];
    return runLoops(8, signal, async (round) => {
      const path = round % 2 === 0 ? '/api/turns' : '/api/write-session/begin';
      const body = bodies[Math.floor(round / 2) % bodies.length] ?? '';
      const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' };
      await (
        await fetch(`${target.baseUrl}${path}`, { method: 'POST', headers, body, signal })
      ).arrayBuffer();
    });
  },
};

/** The attacks that need neither a model nor a tool. */
export const httpAttacks: readonly Attack[] = [
  heavyLists,
  halfRequests,
  deafViewers,
  contentForNobody,
  readyLoops,
  tinyDrafts,
  jsonBombs,
  smallBodies,
];
