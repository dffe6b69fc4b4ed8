/**
 * Tries users × routes × projects: nobody gets anything out of a project that their key does not open, and a foreign id
 * answers as an unknown one does. A route without a rule here fails the test.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findKey, parseApiKeys } from '../../../src/access/api-keys.ts';
import { newKey } from '../../../src/access/new-key.ts';
import { createSignIns } from '../../../src/gateway/access/sign-in.ts';
import { createApp } from '../../../src/gateway/app.ts';
import { createLaneRouter } from '../../../src/live/http/lane-router.ts';
import type { FakeWriteSessions } from '../support/fake-write-sessions.ts';
import { doneEvent, type GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';
import { routesOf } from '../support/routes-of.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';
import { logLine } from '../../support/test-log.ts';

type Project = 'a' | 'b';
const PROJECTS: readonly Project[] = ['a', 'b'];

/** Returns the text that gives a project away wherever an answer shows it. */
const secretOf = (project: Project): string => `secret-of-${project}`;
const turnOf = (project: Project): string => `turn-of-${project}`;
const SESSIONS = {
  a: '6f1e3a52-0c5d-4c39-9a57-0f6c1f0a000a',
  b: '6f1e3a52-0c5d-4c39-9a57-0f6c1f0a000b',
} as const;
/** Returns the id that the path or the body names. */
const idOf = (kind: Rule['kind'], project: Project): string =>
  kind === 'session' ? SESSIONS[project] : turnOf(project);
const bodyOf = (project: Project) => ({
  projectId: project,
  content: `Tell me the ${secretOf(project)}`,
  requestId: turnOf(project),
});

const drawn = {
  a: newKey('key-a', ['a']),
  b: newKey('key-b', ['b', 'c']),
  all: newKey('key-all', ['*']),
};
const USERS = {
  nobody: { header: undefined, opens: [] },
  stranger: { header: `Bearer ${newKey('unknown', ['*']).key}`, opens: [] },
  digest: { header: `Bearer ${drawn.all.entry.sha256}`, opens: [] },
  basic: { header: `Basic ${drawn.all.key}`, opens: [] },
  a: { header: `Bearer ${drawn.a.key}`, opens: ['a'] },
  b: { header: `bearer  ${drawn.b.key}`, opens: ['b'] },
  all: { header: `Bearer ${drawn.all.key}`, opens: PROJECTS },
} as const satisfies Record<string, { header: string | undefined; opens: readonly Project[] }>;
type User = keyof typeof USERS;

interface Asked {
  readonly path: string;
  /** The body, which is sent as JSON unless it is a string. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/**
 * What a route refuses to a foreign key. `start`: with 403. `turn`, `session`, `list`: with 404. `any`: nothing, since
 * it belongs to no project. `open`: nothing, and it needs no key. `lane`: everything, since it has a token of its own.
 */
interface Rule {
  readonly kind: 'start' | 'turn' | 'session' | 'list' | 'any' | 'open' | 'lane';
  readonly request: (project: Project, id: string) => Asked;
  /** When set, the answer is a stream without an end, of which only the status can be checked. */
  readonly isEndless?: true;
  /** When set, the request is sent while no session is open, since the fake lets only one be open at a time. */
  readonly needsNoSession?: true;
  /** When set, a key that opens the project may get 409 as well. */
  readonly mayConflict?: true;
}

const session = (request: (id: string) => Asked): Rule => ({
  kind: 'session',
  request: (_project, id) => request(id),
});
const sessionPath = '/api/write-session';

const RULES: Readonly<Record<string, Rule>> = {
  'GET /': { kind: 'open', request: () => ({ path: '/' }) },
  'GET /assets/:name': { kind: 'open', request: () => ({ path: '/assets/page.js' }) },
  'GET /health': { kind: 'open', request: () => ({ path: '/health' }) },
  'GET /api/sign-in': { kind: 'any', request: () => ({ path: '/api/sign-in' }) },
  // Everybody who knows a key gets a cookie for it.
  'POST /api/sign-in': {
    kind: 'open',
    request: () => ({ path: '/api/sign-in', body: { key: drawn.a.key } }),
  },
  'DELETE /api/sign-in': { kind: 'open', request: () => ({ path: '/api/sign-in' }) },
  'GET /ready': { kind: 'open', request: () => ({ path: '/ready' }) },
  'POST /internal/live': { kind: 'lane', request: () => ({ path: '/internal/live', body: {} }) },
  'POST /api/chat/messages': {
    kind: 'start',
    request: (project) => ({ path: '/api/chat/messages', body: bodyOf(project) }),
  },
  'POST /api/chat/messages_two_stage': {
    kind: 'start',
    request: (project) => ({ path: '/api/chat/messages_two_stage', body: bodyOf(project) }),
  },
  'GET /api/chat/messages': {
    kind: 'list',
    request: (project) => ({ path: `/api/chat/messages?project_id=${project}` }),
  },
  'GET /api/conversations': {
    kind: 'list',
    request: (project) => ({ path: `/api/conversations?projectId=${project}` }),
  },
  'GET /api/conversations/:conversationId': {
    kind: 'list',
    request: (project) => ({ path: `/api/conversations/main?projectId=${project}` }),
  },
  'PATCH /api/conversations/:conversationId': {
    kind: 'list',
    request: (project) => ({
      path: `/api/conversations/main?projectId=${project}`,
      body: { title: secretOf(project) },
    }),
  },
  'DELETE /api/conversations/:conversationId': {
    kind: 'list',
    request: (project) => ({ path: `/api/conversations/main?projectId=${project}` }),
  },
  'GET /api/conversations/:conversationId/context': {
    kind: 'list',
    request: (project) => ({ path: `/api/conversations/main/context?projectId=${project}` }),
  },
  'GET /api/turns': { kind: 'list', request: (project) => ({ path: `/api/turns?projectId=${project}` }) },
  'GET /api/costs': { kind: 'any', request: () => ({ path: '/api/costs' }) },
  'GET /api/days': { kind: 'list', request: (project) => ({ path: `/api/days?projectId=${project}` }) },
  'GET /api/files': { kind: 'list', request: (project) => ({ path: `/api/files?projectId=${project}` }) },
  'GET /api/info': { kind: 'any', request: () => ({ path: '/api/info' }) },
  'POST /api/turns': { kind: 'start', request: (project) => ({ path: '/api/turns', body: bodyOf(project) }) },
  'GET /api/turns/:turnId': { kind: 'turn', request: (_, id) => ({ path: `/api/turns/${id}` }) },
  'GET /api/turns/:turnId/events': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/events` }),
  },
  'GET /api/turns/:turnId/prompts/:step': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/prompts/1` }),
  },
  'POST /api/turns/:turnId/cancel': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/cancel`, body: {} }),
  },
  'GET /api/turns/:turnId/changes': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/changes?path=a.md` }),
  },
  'POST /api/turns/:turnId/undo': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/undo`, body: {} }),
  },
  'GET /api/inputs': { kind: 'list', request: (project) => ({ path: `/api/inputs?projectId=${project}` }) },
  'GET /api/inputs/news': { kind: 'any', request: () => ({ path: '/api/inputs/news' }), isEndless: true },
  'GET /api/turns/:turnId/inputs/:n': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/inputs/1` }),
  },
  'POST /api/turns/:turnId/inputs/:n': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/inputs/1`, body: { reply: 'deny' } }),
  },
  'POST /api/turns/:turnId/messages': {
    kind: 'turn',
    request: (_, id) => ({ path: `/api/turns/${id}/messages`, body: { content: 'more' } }),
  },
  'GET /openapi.json': { kind: 'open', request: () => ({ path: '/openapi.json' }) },
  'GET /metrics': { kind: 'open', request: () => ({ path: '/metrics' }) },
  'GET /api/trace/logs': {
    kind: 'list',
    request: (project) => ({ path: `/api/trace/logs?projectId=${project}` }),
  },
  'POST /api/write-session/begin': {
    kind: 'start',
    request: (projectId) => ({
      path: `${sessionPath}/begin`,
      body: { projectId, target_file: 'a.md', operation: 'create' },
    }),
    needsNoSession: true,
  },
  'POST /api/write-session/finalize': session((session_id) => ({
    path: `${sessionPath}/finalize`,
    body: { session_id, content: 'text' },
  })),
  'PUT /api/write-session/:sessionId/content': session((id) => ({
    path: `${sessionPath}/${id}/content`,
    body: 'text',
  })),
  'POST /api/write-session/:sessionId/draft': {
    ...session((id) => ({
      path: `${sessionPath}/${id}/draft`,
      body: 'text',
      headers: { 'upload-offset': '0' },
    })),
    // A draft goes on where it ended, which is no longer at 0 once another user has sent a chunk.
    mayConflict: true,
  },
  'POST /api/write-session/:sessionId/undo': session((id) => ({
    path: `${sessionPath}/${id}/undo`,
    body: {},
  })),
  'GET /api/write-session': {
    kind: 'list',
    request: (project) => ({ path: `${sessionPath}?projectId=${project}` }),
  },
  'GET /api/write-session/:sessionId/target': session((id) => ({ path: `${sessionPath}/${id}/target` })),
  'GET /api/write-session/status': session((id) => ({ path: `${sessionPath}/status?session_id=${id}` })),
  'GET /api/write-session/status/:sessionId': session((id) => ({ path: `${sessionPath}/status/${id}` })),
  'DELETE /api/write-session': session((session_id) => ({ path: sessionPath, body: { session_id } })),
  'DELETE /api/write-session/:sessionId': session((id) => ({ path: `${sessionPath}/${id}` })),
};

const parsed = parseApiKeys(JSON.stringify(Object.values(drawn).map(({ entry }) => entry)));
const apiKeys = parsed.kind === 'keys' ? parsed.keys : [];
const keys = {
  find: (presented: string) => findKey(apiKeys, presented),
  findByName: (name: string) => apiKeys.find((key) => key.name === name),
};
const signIns = createSignIns({ secret: 'secret', keys, now: Date.now });

const lane = createLaneRouter({
  token: 'lane-token',
  address: 'http://127.0.0.1',
  receiver: { opened() {}, batch() {}, output() {}, closed() {} },
  closing: new AbortController().signal,
});
let writing: WriteSessionWorld;
let world: GatewayWorld;
let sessions: FakeWriteSessions;
const ask = (user: User, method: string, { path, body, headers: more }: Asked): Promise<HttpResponse> => {
  const { header } = USERS[user];
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  const headers = {
    ...(header !== undefined && { authorization: header }),
    ...(text !== undefined && { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) }),
    ...more,
  };
  return world.request(method, path, { headers, ...(text !== undefined && { body: text }) });
};

/** Resolves to the status of a stream and the text that is sent at once. */
const beginningOf = async (
  user: User,
  { path }: Asked,
): Promise<Pick<HttpResponse, 'status' | 'headers' | 'text'>> => {
  const { header } = USERS[user];
  const left = new AbortController();
  const headers = header === undefined ? {} : { authorization: header };
  const { status, headers: sent, body } = await fetch(world.url + path, { headers, signal: left.signal });
  const first = await body?.getReader().read();
  left.abort();
  return { status, headers: Object.fromEntries(sent), text: Buffer.from(first?.value ?? []).toString() };
};

/**
 * Leaves no session open except one with a fixed id for each project, and every conversation there, however often the
 * tests have ended or deleted them.
 */
const restoreWorld = (): void => {
  world.conversations.restore();
  sessions.byId.clear();
  for (const project of PROJECTS) {
    sessions.add({ sessionId: SESSIONS[project], projectId: project, targetFile: secretOf(project) });
  }
};

beforeAll(async () => {
  writing = await WriteSessionWorld.open(undefined, { keys, signIns, lane });
  ({ gateway: world, sessions } = writing);
  for (const project of PROJECTS) {
    const trace = { type: 'user_message', source: 'user', summary: secretOf(project) } as const;
    world.traces.keep({ ...trace, projectId: project, requestId: turnOf(project) });
    await ask('all', 'POST', { path: '/api/turns', body: bodyOf(project) });
    world.turns.say(turnOf(project), secretOf(project));
    world.turns.end(turnOf(project), doneEvent(secretOf(project)));
    world.inputs.ask(turnOf(project), project, { message: secretOf(project) });
    const note = { projectId: project, content: secretOf(project), sender: 'orion' };
    await ask('all', 'POST', { path: '/api/chat/messages', body: note });
  }
});
afterAll(() => writing.close());

const users = Object.keys(USERS) as User[];
const opens = (user: User, project: Project): boolean =>
  (USERS[user].opens as readonly Project[]).includes(project);

/** Returns the status that docs/http-api.md promises; undefined for any answer that is no refusal. */
const expected = (kind: Rule['kind'], user: User, project: Project): number | undefined => {
  if (kind === 'open') return undefined;
  if (kind === 'lane' || USERS[user].opens.length === 0) return 401;
  if (kind === 'any' || opens(user, project)) return undefined;
  return kind === 'start' ? 403 : 404;
};

it('every route of the gateway has a rule', () => {
  expect(routesOf(createApp({ ...world.deps(), lane })).toSorted()).toEqual(Object.keys(RULES).toSorted());
});

describe('users × routes × projects', () => {
  let requests = 0;
  let leaks = 0;
  afterAll(() => logLine(`access matrix: ${leaks} leaks of ${requests} requests`));

  it.each(Object.entries(RULES))('%s', async (route, rule) => {
    const [method = ''] = route.split(' ');
    for (const user of users) {
      for (const project of PROJECTS) {
        restoreWorld();
        if (rule.needsNoSession) sessions.byId.clear();
        const asked = rule.request(project, idOf(rule.kind, project));
        const answer = rule.isEndless ? await beginningOf(user, asked) : await ask(user, method, asked);
        requests += 1;
        const leaked = !opens(user, project) && answer.text.includes(secretOf(project));
        if (leaked) leaks += 1;
        const status = expected(rule.kind, user, project);
        const got = { user, project, leaked, status: answer.status };
        const answered = rule.mayConflict ? [200, 202, 204, 409] : [200, 202, 204];
        if (status === undefined) expect(answered).toContain(answer.status);
        expect(got).toEqual({ user, project, leaked: false, status: status ?? answer.status });
        if (status === 401 && rule.kind !== 'lane') expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
  });

  it('a key shows what it opens, since the matrix would also pass on a gateway that refuses everything', async () => {
    for (const user of ['a', 'all'] as const) {
      restoreWorld();
      for (const path of [
        `${sessionPath}/status/${SESSIONS.a}`,
        `${sessionPath}?projectId=a`,
        '/api/trace/logs?projectId=a',
        '/api/turns/turn-of-a',
        '/api/turns/turn-of-a/events',
        '/api/turns/turn-of-a/inputs/1',
        '/api/inputs?projectId=a',
        '/api/inputs',
        '/api/turns?projectId=a',
        '/api/conversations?projectId=a',
        '/api/conversations/main?projectId=a',
        '/api/chat/messages?project_id=a',
      ]) {
        expect((await ask(user, 'GET', { path })).text).toContain(secretOf('a'));
      }
    }
  });
});

const withoutIds = (answer: HttpResponse, id: string): unknown => {
  const { date: _date, 'x-request-id': requestId, 'content-length': _length, ...headers } = answer.headers;
  const text = answer.text.replaceAll(id, '<id>').replaceAll(String(requestId), '<request>');
  return { status: answer.status, headers, text };
};

it('a foreign id answers as an unknown one, to the byte: ids cannot be probed', async () => {
  const unknownIds = { turn: 'turn-of-nobody', session: '6f1e3a52-0c5d-4c39-9a57-0f6c1f0affff' };
  for (const [route, { kind, request }] of Object.entries(RULES)) {
    if (kind !== 'turn' && kind !== 'session') continue;
    const [method = ''] = route.split(' ');
    for (const [user, foreign] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      restoreWorld();
      const [known, unknown] = [idOf(kind, foreign), unknownIds[kind]];
      const forKnown = await ask(user, method, request(foreign, known));
      const forUnknown = await ask(user, method, request(foreign, unknown));
      expect(withoutIds(forKnown, known)).toEqual(withoutIds(forUnknown, unknown));
    }
  }
  expect(world.turns.cancelled).toEqual([]);
  expect(sessions.open.map(({ sessionId }) => sessionId)).toEqual(Object.values(SESSIONS));
});

it('nobody is attached to a foreign turn by its id, whatever project the body names', async () => {
  for (const path of ['/api/chat/messages', '/api/turns']) {
    const own = await ask('a', 'POST', { path, body: { ...bodyOf('b'), projectId: 'a' } });
    expect([own.status, own.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect(own.headers['x-turn-id']).toBeUndefined();
    const foreign = await ask('a', 'POST', { path, body: bodyOf('b') });
    expect([foreign.status, foreign.body['code']]).toEqual([403, 'forbidden']);
    for (const { text } of [own, foreign]) expect(text).not.toContain(secretOf('b'));
  }
});

it('the answer to a viewer does not depend on who watches beside them', async () => {
  const body = { projectId: 'b', content: 'hi', conversationId: 'live', requestId: 'live-b' };
  const own = await world.chat(body, { authorization: USERS.b.header });
  world.say('live-b', secretOf('b'));
  await own.next(({ data }) => data['chunk'] === secretOf('b'));
  const foreign = await ask('a', 'GET', { path: '/api/turns/live-b/events' });
  expect([foreign.status, foreign.text.includes(secretOf('b'))]).toEqual([404, false]);
  world.end('live-b', doneEvent(secretOf('b')));
  await own.ended;
});

describe('a key or a path in another spelling', () => {
  const path = '/api/turns?projectId=a';
  const asNobody = (wanted: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    world.request('GET', wanted, { headers });

  it.each([
    ['in a header of another name', { 'x-api-key': drawn.a.key }],
    ['for a proxy', { 'proxy-authorization': `Bearer ${drawn.a.key}` }],
    ['in a cookie', { cookie: `authorization=Bearer ${drawn.a.key}; api_key=${drawn.a.key}` }],
    ['without its scheme', { authorization: drawn.a.key }],
    ['of another scheme', { authorization: `Token ${drawn.a.key}` }],
    ['in quotes', { authorization: `Bearer "${drawn.a.key}"` }],
    ['beside another', { authorization: `Bearer ${drawn.a.key}, Bearer ${drawn.b.key}` }],
    ['cut by one character', { authorization: `Bearer ${drawn.a.key.slice(0, -1)}` }],
    ['that is empty', { authorization: 'Bearer ' }],
  ])('%s opens nothing', async (_where, headers) => {
    const { status, text } = await asNobody(path, headers);
    expect([status, text.includes(secretOf('a'))]).toEqual([401, false]);
  });

  it.each(['api_key', 'key', 'access_token', 'authorization', 'token'])(
    'in the query as %s opens nothing',
    async (name) => {
      expect((await asNobody(`${path}&${name}=${drawn.a.key}`)).status).toBe(401);
    },
  );

  it.each([
    '/API/turns',
    '/api/TURNS',
    '/api/turns/',
    '/api//turns',
    '//api/turns',
    '/./api/turns',
    '/api/./turns',
    '/health/../api/turns',
    '/%61pi/turns',
    '/api/%74urns',
    '/api%2fturns',
    '/api\\turns',
    '/api;x=1/turns',
    '/api/turns.json',
    '/api/turns%00',
    '/internal/live/../../api/turns',
    'http://localhost/api/turns',
  ])('%s shows nothing without a key', async (spelt) => {
    const { status, text } = await asNobody(`${spelt}?projectId=a`);
    expect([400, 401, 404]).toContain(status);
    expect(text).not.toContain(secretOf('a'));
  });
});
