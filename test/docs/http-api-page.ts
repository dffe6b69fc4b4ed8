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
  phase: 'The model begins to speak (`action`), or a tool runs (`tool`). `cycle`: tools that have run.',
  chunk: 'Text of the answer, or a `notice` that Orion puts into it.',
  tool_calls:
    'All calls of this answer so far, their arguments as far as they have come; the next one replaces it.',
  tool_output:
    'What a command says while it runs (`stdout` or `stderr`), at most ten times a second and 256 KiB a call. Live only: without an id, never repeated, and what is missed stands in the result.',
  tool_result: 'What became of a call; its `content` only where that is switched on.',
  write_session: 'A long file: begun, content complete, committed, left open, failed.',
  input_requested: 'The turn waits for somebody: what it asks, what it takes for an answer, until when.',
  input_resolved: 'What was replied, and by whom; the turn goes on.',
  steer: 'A message of the user into the running turn.',
  reset:
    'Forget every event whose seq (the part of the id after `-`) is `fromSeq` or more: what follows replaces it.',
  done: 'The end, with the whole answer. `unapplied`, of `turn_error` as well: messages into the turn that nobody has read.',
  error: 'The end of a turn that failed; named `turn_error` in the native form.',
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

/** docs/http-api.md: routes, frames and codes are those of the code. */
export const httpApiPage = (): string => `# The HTTP API

For whoever writes a client. \`GET /openapi.json\` has every field; this page has what a schema cannot say.

## A first turn

\`\`\`sh
curl -N http://127.0.0.1:5000/api/chat/messages -H 'content-type: application/json' \\
  -d '{"projectId":"demo","requestId":"my-turn","content":"List the files, then read README.md",
  "metadata":{"maxPhaseCycles":25}}'
\`\`\`

A turn may run 3 tools unless \`metadata.maxPhaseCycles\` asks for more (up to \`MAX_PHASE_CYCLES_LIMIT\`, 50): enough to look
something up, too few to work. The \`orion\` command asks for 25; so should an agent
([why 3](decisions/three-cycles-by-default.md)).

| route | |
| --- | --- |
${routes()}

## Ids

- **Turn**: the \`requestId\` of the body, else the header \`Idempotency-Key\`, else one that the gateway draws. Every answer that
  concerns a turn has it in \`X-Turn-Id\`; \`POST /api/turns\` has it in its body, too. The same id again with the same body
  attaches to that turn, also after its end; with another body it is 409 \`idempotency_conflict\`.
- **Project and conversation**: yours: 1–128 characters of \`A-Z a-z 0-9 . _ : -\`. A project has any number of conversations
  (\`main\` unless named), a conversation one running turn (409 \`turn_in_progress\` names it).
- **Branches**: a turn goes on from the newest turn of its conversation, or from \`parentTurnId\` of its body (null: from none). To edit a message, start a turn with the parent of the edited one; to have an answer again, one with the same parent and text. The model knows the chain of parents; \`GET /api/chat/messages\` shows the chain that ends with the turn \`leaf\`. A parent of another conversation is 404 \`turn_not_found\`. Files have no branches.
- **Event**: \`<epoch>-<seq>\`, in the \`id:\` line of every frame except \`tool_output\` ([events.md](events.md)). Opaque, except for what \`reset\` says of it.

## Streams, in two forms

\`POST /api/chat/messages\` and \`POST /api/chat/messages_two_stage\` start a turn and stream it as **compatible** frames: no
names, told apart by their fields (or by \`type\`). \`GET /api/turns/:id/events\` streams **native** ones: named, and each the event
as it is; with \`?format=compatible\` it streams the other form. Ids are the same in both, so that a stream in one form may be resumed in the other.

Compatible:

\`\`\`text
${frames(createCompatibleEncoder('my-turn'))}\`\`\`

Native:

\`\`\`text
${frames(createNativeEncoder('my-turn'))}\`\`\`

| event | |
| --- | --- |
${meanings()}

A stream begins with \`retry: 1000\` and has a comment (\`: hb\`) every 15 s. It ends after \`done\` or \`error\`. One that
ends without either was cut: resume.

## Resuming

Send the last id that you hold as \`Last-Event-ID\` (or \`?after=\`, which the header overrules): you get exactly what follows,
during the turn, after a restart of anything, and after its end. When there is nothing left the answer is **204**, at which
\`EventSource\` stops. Two ways:

\`\`\`sh
curl -N 'http://127.0.0.1:5000/api/turns/my-turn/events?format=compatible' -H 'Last-Event-ID: 101-2'
# or the same POST again: same requestId, same body
curl -N http://127.0.0.1:5000/api/chat/messages -H 'content-type: application/json' -H 'Last-Event-ID: 101-2' \\
  -d '{"projectId":"demo","requestId":"my-turn","content":"List the files, then read README.md",
  "metadata":{"maxPhaseCycles":25}}'
\`\`\`

Leaving a stream stops nothing; \`POST /api/turns/:id/cancel\` does.

## From a browser

A page of another origin needs that origin in \`ORION_ALLOWED_ORIGINS\`; \`X-Turn-Id\`, \`X-Request-Id\`, \`Location\` and \`Retry-After\` are readable then. \`EventSource\`
cannot send \`Authorization\`: with API keys read the stream with \`fetch\`, or put a server of your own in between. Without keys:

\`\`\`js
const { turnId, eventsUrl } = await (await fetch(orion + '/api/turns', { method: 'POST', … })).json();
const source = new EventSource(orion + eventsUrl);
source.addEventListener('chunk', ({ data }) => show(JSON.parse(data).content));
source.addEventListener('turn_error', ({ data }) => fail(JSON.parse(data).message));
source.addEventListener('done', () => source.close());
\`\`\`

## Keys

With \`ORION_API_KEYS_FILE\` every route below \`/api\` wants \`Authorization: Bearer <key>\`. A key opens its projects: starting something in another project is 403; a turn, session or trace of another project is 404, as if it did not exist.

A browser exchanges its key for a cookie, by \`POST /api/sign-in\` with \`{ "key": … }\`: it is good for a day, and only on pages of this gateway ([why](decisions/browsers-sign-in.md)). \`GET /api/sign-in\` says whose it is.

## Failures

Every failure is JSON: \`{ "error": "for people", "code": "for programs", "details"?, "requestId" }\`. 429 and 503 have \`Retry-After\` where it is known when to try again (not \`too_many_streams\` and \`too_many_messages\`). \`details\` of \`validation_failed\` lists \`{ field, expected, received }\`.

| status | codes |
| --- | --- |
${codes()}

## Limits

A client is the API key that it brings, or without one its address.

| what | limit | beyond it |
| --- | --- | --- |
| \`content\` of a message | 256 KiB | 413 |
| \`metadata\` | 64 KiB, 16 levels | 413, 400 |
| a JSON body | 2 MiB, ${seconds(CONNECTION_LIMITS.bodyMs)} from the headers to its end | 413, 408 |
| an upload | \`MAX_CONTENT_SIZE_BYTES\`; ${seconds(CONNECTION_LIMITS.uploadIdleMs)} of silence | 413, 408 |
| headers | 16 KiB, ${seconds(CONNECTION_LIMITS.headersMs)} from the first byte | 431, 408 |
| a page of messages or traces | ${PAGE_BYTES / 1_048_576} MiB of text (at least one entry), before JSON escapes it | shorter than \`limit\`; goes on at \`nextOffset\` |
| a page of a prompt | 100 messages, 2,000 characters of each (\`characters\`: up to 16,000) | \`isCut\`; goes on at \`nextOffset\` |
| a page of conversations, turns, write sessions | 100, 100, 50 short entries; a path may have 4 KiB | \`more\`; write sessions: the newest |
| lists of a client at once, whatever they list | 2; 16 more wait | 429 |
| lists of a client above 256 KiB of JSON | 4 MiB a second at each of the two places | the next ones wait |
| an answer that nobody reads | ${seconds(CONNECTION_LIMITS.stallMs)} | cut; a stream can be resumed |
| what waits for a stream, for all streams of a client | 1 MiB, 16 MiB | the next is sent when that was read |
| streams of a client | \`MAX_STREAMS_PER_CLIENT\` | 429 |
| connections of a client | \`MAX_STREAMS_PER_CLIENT\` + 100 | an idle one is closed, else 429 |
| connections of an address before a key was seen | ${CONNECTION_LIMITS.maxUnknown} that linger | the oldest are closed |
| connections in all | \`ORION_MAX_CONNECTIONS\` | one that idles is closed, else the new one |
| turns and notes a minute | \`RATE_LIMIT_TURNS_PER_MINUTE\` | 429 |
| turns that run, turns that start | 300; as many as start quickly | 503 \`overloaded\`, \`Retry-After\` 5, 1; nothing is stored |
`;
