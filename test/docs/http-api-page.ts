import type { ToolOutput } from '../../src/contracts/wire/tool-output.ts';
import { turnEventSchema } from '../../src/contracts/wire/turn-event.ts';
import { apiErrorCodeSchema } from '../../src/contracts/http/errors.ts';
import { PAGE_BYTES } from '../../src/db/connection/page-bytes.ts';
import { CONNECTION_LIMITS } from '../../src/gateway/connections/connection-limits.ts';
import { ApiError } from '../../src/gateway/errors/api-error.ts';
import { createApiDocument } from '../../src/gateway/openapi/api-document.ts';
import {
  createCompatibleEncoder,
  createNativeEncoder,
  type TurnEncoder,
} from '../../src/gateway/streams/turn-encoders.ts';
import { eventExamples } from './event-examples.ts';

const routes = (): string =>
  Object.entries(createApiDocument().paths ?? {})
    .flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { summary: string }>).map(
        ([method, { summary }]) => `| \`${method.toUpperCase()} ${path}\` | ${summary} |`,
      ),
    )
    .join('\n');

const output: ToolOutput = { type: 'tool_output', callId: 'call_1', stream: 'stdout', content: 'ok 1\n' };

const frames = (encoder: TurnEncoder): string =>
  [...eventExamples, { id: null, event: output }].map(({ id, event }) => encoder.encode(id, event)).join('');

type EventName = (typeof turnEventSchema.options)[number]['shape']['type']['value'] | ToolOutput['type'];
const MEANINGS: Record<EventName, string> = {
  phase:
    'A phase begins: the model speaks (`action`) or a tool runs (`tool`). `cycle` counts the tools that have run.',
  chunk: 'Text of the answer, or a `notice` that Orion inserts into it.',
  tool_calls:
    'All tool calls of this answer so far, with as much of their arguments as has arrived. Each event replaces the previous one.',
  tool_output:
    'What a command prints while it runs (`stdout` or `stderr`): at most ten events a second and 256 KiB per call. It is live only: it has no id and is never repeated. The result contains whatever you missed.',
  tool_result: 'The outcome of a call. It has `content` only if `DEBUG_SHOW_TOOL_RESULTS` is on.',
  write_session: 'The stage of a long file: begun, content complete, committed, left open or failed.',
  input_requested:
    'The turn waits for a person. The event says what it asks, which replies it accepts, and when the request expires.',
  input_resolved: 'The reply and who gave it. The turn continues.',
  steer: 'A message of the user into the running turn.',
  reset:
    'Discard every event whose seq (the part of the id after `-`) is `fromSeq` or greater. The events that follow replace them.',
  done: 'The turn has ended, with the whole answer. `unapplied` lists messages into the turn that the model never read; `turn_error` has it, too.',
  error: 'The turn has failed. In the native form this event is named `turn_error`.',
};

const meanings = (): string =>
  Object.entries(MEANINGS)
    .map(([type, meaning]) => `| \`${type}\` | ${meaning} |`)
    .join('\n');

const codes = (): string => {
  const byStatus = new Map<number, string[]>();
  for (const code of apiErrorCodeSchema.options) {
    const { status } = new ApiError(code, '');
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\``]);
  }
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, names]) => `| ${status} | ${names.join(', ')} |`)
    .join('\n');
};

const seconds = (ms: number): string => `${ms / 1_000} s`;

/** Returns docs/http-api.md; its routes, frames and codes are read from the code. */
export const httpApiPage = (): string => `# The HTTP API

This page is for authors of clients. \`GET /openapi.json\` describes every field of every route; this page covers what a
schema cannot express: ids, streams, resuming, keys, failures and limits. It is generated: change
\`test/docs/http-api-page.ts\` and run \`npm run docs\`. The \`info.version\` of the description counts forms of the API, of
which there has been one. \`GET /api/info\` returns the version of Orion.

## A first turn

A turn is one message of a user and everything Orion does to answer it. This request starts a turn and streams its events:

\`\`\`sh
curl -N http://127.0.0.1:5000/api/chat/messages -H 'content-type: application/json' \\
  -d '{"projectId":"demo","requestId":"my-turn","content":"List the files, then read README.md",
  "metadata":{"maxPhaseCycles":25}}'
\`\`\`

By default a turn may run 3 tools. That is enough to look something up, but not enough to do work. To allow more, set
\`metadata.maxPhaseCycles\`, up to \`MAX_PHASE_CYCLES_LIMIT\` (50). The \`orion\` command sets 25, and an agent should do the
same ([why the default is 3](decisions/three-cycles-by-default.md)).

\`mode\` is a field of the body itself; with \`plan\`, no tool may change anything. The other options of a turn are fields
of \`metadata\`: \`protocol\`, \`maxPhaseCycles\`, \`approvals\`, \`inputs\`, \`model\` and \`writeSession\`.

Check the spelling: in every request, the gateway ignores fields that it does not know, so that newer clients can use an
older gateway. In \`metadata\` they are stored with the message. Only \`"mode":"plan"\` in \`metadata\` is
refused with 400 unless the body has it, too, because a turn that was meant only to read could otherwise write.

## Routes

| route | what it does |
| --- | --- |
${routes()}

## Ids

**Turns.** The id of a turn is the first of these that is present:

1. the field \`requestId\` of the body
2. the header \`Idempotency-Key\`
3. an id that the gateway generates

The response to a request that starts a turn or attaches to one, and every stream of a turn, carries its id in the header
\`X-Turn-Id\`; \`POST /api/turns\` also returns it in the body. Refusals do not have this header.

If you send the same id and the same body again, you attach to the existing turn, even after it has ended. The same id
with a different body is refused with 409 \`idempotency_conflict\`. An id stays used after its conversation is
deleted: even the same request is then refused with this code.

**Projects and conversations.** You choose these ids: 1–128 characters of \`A-Z a-z 0-9 . _ : -\`. A project has any number of
conversations; the default conversation is \`main\`. A conversation runs one turn at a time. A second turn is refused with
409 \`turn_in_progress\`, and the error names the running turn.

**Branches.** By default a turn continues from the newest turn of its conversation. To continue from another turn, name it in
\`parentTurnId\`; \`null\` starts from nothing.

- To edit a message, start a turn with the parent of the edited message.
- To get another answer, start a turn with the same parent and the same text.

The model sees the chain of parents. \`GET /api/chat/messages\` returns the chain that ends with the turn \`leaf\`. A parent in
another conversation is refused with 404 \`turn_not_found\`. Files do not have branches.

**Events.** The id of an event is \`<epoch>-<seq>\`. It is in the \`id:\` line of every frame except \`tool_output\`
([events.md](events.md)). Treat it as opaque; the only exception is \`reset\`, which refers to its second half.

## Streams, in two forms

| form | routes | frames |
| --- | --- | --- |
| **compatible** | \`POST /api/chat/messages\` and \`POST /api/chat/messages_two_stage\`, which start a turn; \`GET /api/turns/:id/events?format=compatible\` | They have no event name. You tell them apart by their fields, or by \`type\`. |
| **native** | \`GET /api/turns/:id/events\` | They have an event name, and the data is the event itself. |

Both forms use the same ids, so you can resume a stream in the other form.

Compatible:

\`\`\`text
${frames(createCompatibleEncoder('my-turn'))}\`\`\`

Native:

\`\`\`text
${frames(createNativeEncoder('my-turn'))}\`\`\`

| event | meaning |
| --- | --- |
${meanings()}

A stream begins with \`retry: 1000\` and sends a comment (\`: hb\`) every 15 s. It ends after \`done\` or \`error\`. If a stream
ends without either, the connection was cut: resume it.

## Resuming

To resume, send the last id that you received as \`Last-Event-ID\`, or as \`?after=\`. If you send both, the header wins. You
receive exactly the events that follow. This works while the turn runs, after a restart of any process, and after the turn
has ended. When there is nothing left to send, the response is **204**, at which \`EventSource\` stops reconnecting.

There are two ways to resume:

\`\`\`sh
curl -N 'http://127.0.0.1:5000/api/turns/my-turn/events?format=compatible' -H 'Last-Event-ID: 101-2'
# or the same POST again: same requestId, same body
curl -N http://127.0.0.1:5000/api/chat/messages -H 'content-type: application/json' -H 'Last-Event-ID: 101-2' \\
  -d '{"projectId":"demo","requestId":"my-turn","content":"List the files, then read README.md",
  "metadata":{"maxPhaseCycles":25}}'
\`\`\`

Closing a stream does not stop the turn. To stop it, call \`POST /api/turns/:id/cancel\`.

## From a browser

A page from another origin can use the API only if its origin is listed in \`ORION_ALLOWED_ORIGINS\`. Such a page can read the
headers \`X-Turn-Id\`, \`X-Request-Id\`, \`Location\` and \`Retry-After\`.

\`EventSource\` cannot send \`Authorization\`. If the gateway requires API keys, read the stream with \`fetch\`, or put a server
of your own in between. Without keys, \`EventSource\` works:

\`\`\`js
const { turnId, eventsUrl } = await (await fetch(orion + '/api/turns', { method: 'POST', … })).json();
const source = new EventSource(orion + eventsUrl);
source.addEventListener('chunk', ({ data }) => show(JSON.parse(data).content));
source.addEventListener('turn_error', ({ data }) => fail(JSON.parse(data).message));
source.addEventListener('done', () => source.close());
\`\`\`

## Keys

With \`ORION_API_KEYS_FILE\`, every route below \`/api\` requires \`Authorization: Bearer <key>\`. A key gives access to the
projects in its entry:

- Starting something in another project is refused with 403.
- A turn, session or trace of another project returns 404, as if it did not exist.

A browser exchanges its key for a cookie with \`POST /api/sign-in\` and \`{ "key": … }\`. The cookie is valid for one day, and
only for pages of this gateway ([why](decisions/browsers-sign-in.md)). \`GET /api/sign-in\` returns the identity that the key or
cookie stands for.

## Failures

Every failure of a route is JSON: \`{ "error": "for people", "code": "for programs", "details"?, "requestId" }\`.

- 429 and 503 carry \`Retry-After\` when the gateway knows when to try again. \`too_many_streams\` and \`too_many_messages\` do
  not carry it.
- For \`validation_failed\` and \`unsupported_media_type\`, \`details\` lists \`{ field, expected, received }\`. Only a reply that does not fit its
  [input request](inputs.md) has no \`details\`; \`error\` names the field.
- What never becomes a request of a route is refused with a status that has no body: 400 (an unknown method, no
  \`Host\`, contradictory lengths, anything that is not HTTP), 408 (headers that come too slowly), 417 (an \`Expect\` other
  than \`100-continue\`) and 431 (headers that are too large). The connection of a \`CONNECT\` is closed.

| status | codes |
| --- | --- |
${codes()}

## Limits

A client is identified by its API key or, if it sends none, by its address. A list is a response such as
messages, turns or traces.

| what | limit | when it is exceeded |
| --- | --- | --- |
| \`content\` of a message | 256 KiB | 413 |
| \`metadata\` | 64 KiB, 16 levels | 413, 400 |
| JSON body, except that of a finalize | 2 MiB; ${seconds(CONNECTION_LIMITS.bodyMs)} from the headers to the end of the body | 413, 408 |
| body of \`PUT /api/write-session/{sessionId}/content\` | \`MAX_CONTENT_SIZE_BYTES\`; ${seconds(CONNECTION_LIMITS.uploadIdleMs)} without data | 413, 408 |
| draft of a write session | \`MAX_CONTENT_SIZE_BYTES\` in all; ${seconds(CONNECTION_LIMITS.uploadIdleMs)} without data | 413, 408 |
| body of \`POST /api/write-session/finalize\` | \`MAX_CONTENT_SIZE_BYTES\` of decoded \`content\`, and 64 KiB beside it; ${seconds(CONNECTION_LIMITS.uploadIdleMs)} without data | 413, 408 |
| headers | 16 KiB; ${seconds(CONNECTION_LIMITS.headersMs)} from the first byte | 431, 408 |
| page of messages or traces | ${PAGE_BYTES / 1_048_576} MiB of text before JSON escaping, but at least one entry | the page is shorter than \`limit\`; continue at \`nextOffset\` |
| page of a prompt | 100 messages, 2,000 characters of each (\`characters\`: up to 16,000) | \`isCut\` is set; continue at \`nextOffset\` |
| page of conversations, turns, write sessions | 100, 100, 50 short entries; a path may have 4 KiB | \`more\` is set; of write sessions you get the newest |
| lists that a client requests at once | 2 run, 16 more wait | 429 |
| lists of a client above 256 KiB of JSON | 4 MiB a second for each of the two that run | the next lists wait |
| response that the client does not read | ${seconds(CONNECTION_LIMITS.stallMs)} | the connection is cut; a stream can be resumed |
| data that waits to be sent: for one stream, for all streams of a client | 1 MiB, 16 MiB | the rest follows when the client has read that data |
| streams of a client | \`MAX_STREAMS_PER_CLIENT\` | 429 |
| connections of a client | \`MAX_STREAMS_PER_CLIENT\` + 100 | an idle connection is closed; if there is none, 429 |
| connections of an address that have not sent a key yet | ${CONNECTION_LIMITS.maxUnknown} that linger | the oldest are closed |
| connections in total | \`ORION_MAX_CONNECTIONS\` | an idle connection is closed; if there is none, the new one is |
| turns and notes a minute | \`RATE_LIMIT_TURNS_PER_MINUTE\` | 429 |
| turns that run | 300 | 503 \`overloaded\`, \`Retry-After: 5\`; nothing is stored |
| turns that start at the same time | as many as still start quickly | 503 \`overloaded\`, \`Retry-After: 1\`; nothing is stored |
`;
