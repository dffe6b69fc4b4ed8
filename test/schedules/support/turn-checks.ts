import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'safe-stable-stringify';
import type { ChatClient } from '../../support/chat-client.ts';
import { survivingFrames, violations } from '../../support/recording-check.ts';
import type { RecordedFrame } from '../../support/sse-recorder.ts';
import { requestUntilAnswered } from '../../support/request-until-answered.ts';
import type { PlayedTurn } from './scheduled-turn.ts';
import { callOf } from './turn-plan.ts';

const PERMITTING_REPLIES = new Set(['allow', 'allow_turn', 'edit']);

type EventData = RecordedFrame['data'];

/** The place at which a schedule was played: a client of its stack, and the folder of its project. */
export interface SchedulePlace {
  readonly chat: ChatClient;
  readonly workspace: string;
}

/** Resolves to everything that went wrong in the schedule of a turn; empty when nothing did. */
export const violationsIn = async (place: SchedulePlace, played: PlayedTurn): Promise<string[]> => {
  const events = eventsOf(played.fresh);
  const wrong = [
    ...played.people.differences,
    ...readingViolations(played),
    ...requestViolations(played, events),
    ...replyViolations(played, events),
    ...steerViolations(played, events),
    ...(await effectViolations(place, played, events)),
    ...(await rowViolations(place, played, events)),
  ];
  return wrong.map((what) => `seed ${played.plan.seed}: ${what}`);
};

const eventsOf = (frames: readonly RecordedFrame[]): EventData[] =>
  survivingFrames(frames).map(({ frame }) => frame.data);
const ofType = (events: readonly EventData[], type: string): EventData[] =>
  events.filter((event) => event['type'] === type);

/** Checks that the turn has one end, and that its reader holds the same events as a reader who comes later. */
const readingViolations = ({ frames, fresh, next }: PlayedTurn): string[] => {
  const held = (list: readonly RecordedFrame[]) =>
    survivingFrames(list).map(({ frame }) => stringify([frame.id, frame.data]));
  const [mine, stored] = [held(frames), held(fresh)];
  const at = mine.findIndex((text, index) => text !== stored[index]);
  const differs = at >= 0 || mine.length !== stored.length;
  return [
    ...violations(frames),
    ...violations(fresh),
    ...[...next.values()].flatMap(violations),
    ...(differs ? [`reader and fresh load differ: ${mine[at] ?? 'end'} and ${stored[at] ?? 'more'}`] : []),
  ];
};

/** Checks that at most one request is open at a time, and that each is resolved once unless the turn was cancelled. */
const requestViolations = ({ people }: PlayedTurn, events: readonly EventData[]): string[] => {
  const wrong: string[] = [];
  let open: unknown;
  for (const { type, inputId } of events) {
    if (type === 'input_requested') {
      if (open !== undefined) wrong.push(`${String(inputId)}: asked while ${String(open)} was open`);
      open = inputId;
    }
    if (type !== 'input_resolved') continue;
    if (open !== inputId) wrong.push(`${String(inputId)}: resolved, and not open`);
    open = undefined;
  }
  if (open !== undefined && people.cancels === 0) wrong.push(`${String(open)}: never resolved`);
  return wrong;
};

/**
 * Checks that a reply that was accepted is the one with which the turn went on, and that no forged or foreign
 * reply counts.
 */
const replyViolations = ({ people }: PlayedTurn, events: readonly EventData[]): string[] => {
  const resolved = new Map(ofType(events, 'input_resolved').map((event) => [event['inputId'], event]));
  return people.replies.flatMap(({ inputId, reply, isForged, isForeign, status, body }) => {
    const answered = `${inputId}: ${reply} was answered ${status} ${JSON.stringify(body)}`;
    if (status !== 200) return status === 400 || status === 404 || status === 409 ? [] : [answered];
    if (isForged || isForeign) return [`${answered}, and should not count`];
    const event = resolved.get(inputId);
    // A decision made in the same workflow task as a cancel has no event.
    if (!event) return people.cancels > 0 ? [] : [`${answered}, and is lost`];
    return event['reply'] === reply
      ? []
      : [`${answered}, and the turn went on with ${String(event['reply'])}`];
  });
};

/**
 * Checks that each accepted message is applied or handed back, once, and that a refused or queued message is neither.
 */
const steerViolations = ({ people, next }: PlayedTurn, events: readonly EventData[]): string[] => {
  const applied = ofType(events, 'steer').map((event) => event['messageId']);
  const unapplied = (events.at(-1)?.['unapplied'] as unknown[] | undefined) ?? [];
  const ends = [...applied, ...unapplied];
  return people.steers.flatMap(({ messageId, status, body, isEarly }) => {
    const places = ends.filter((id) => id === messageId).length;
    const isAccepted = body['state'] === 'accepted';
    const refusals = ['turn_ended', 'turn_in_progress', ...(isEarly ? ['turn_not_found'] : [])];
    const isRefused = refusals.includes(String(body['code']));
    const isQueued = body['state'] === 'queued' && next.has(messageId);
    if (places === (isAccepted ? 1 : 0) && (isAccepted || isRefused || isQueued)) return [];
    return [`${messageId}: answered ${status} ${JSON.stringify(body)}, and stands in ${places} places`];
  });
};

const isOk = (result: EventData): boolean => result['ok'] === true;

/**
 * Reports whether a command ran to its end. A command that a cancel ended has a result, too, but another exit code than
 * 0.
 */
const hasRun = (result: EventData): boolean =>
  isOk(result) && (JSON.parse(String(result['content'])) as { exit_code: unknown }).exit_code === 0;

/** Resolves to the text of a file, or to an empty text if there is none. */
const textOf = async (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** Checks that no write and no command runs without a permission, and that none runs twice. */
const effectViolations = async (
  { workspace }: SchedulePlace,
  { plan }: PlayedTurn,
  events: readonly EventData[],
): Promise<string[]> => {
  const wrong: string[] = [];
  const allowed = new Set<string>();
  for (const [at, step] of plan.steps.entries()) {
    const { callId, tool, file } = callOf(plan, at);
    const asked = ofType(events, 'input_requested').find((event) => event['callId'] === callId);
    const resolved = ofType(events, 'input_resolved').find(
      (event) => event['inputId'] === asked?.['inputId'],
    );
    const reply = String(resolved?.['reply']);
    const results = ofType(events, 'tool_result').filter((event) => event['callId'] === callId);
    if (results.length > 1) wrong.push(`${callId}: ${results.length} results`);
    if (step !== 'write' && step !== 'command') continue;
    if (reply === 'allow_turn') allowed.add(tool);
    const may = PERMITTING_REPLIES.has(reply) || (!asked && allowed.has(tool));
    const most = may ? 1 : 0;
    const least = may && results.some(step === 'command' ? hasRun : isOk) ? 1 : 0;
    const effects = (await textOf(join(workspace, file))).length;
    if (effects < least || effects > most) {
      wrong.push(
        `${callId}: ${effects} effects after ${reply}, expected ${least} to ${most}: ${JSON.stringify(results)}`,
      );
    }
  }
  return wrong;
};

interface StoredMessage {
  readonly turnId: string | null;
  readonly sender: string;
  readonly content: string;
  readonly metadata: { readonly steer?: { readonly messageId: string; readonly applied: boolean } };
}

const STATUS: Readonly<Record<string, string>> = { completed: 'completed', cancelled: 'cancelled' };

/** Checks that turn, messages and requests are stored as the events report them. */
const rowViolations = async (
  { chat }: SchedulePlace,
  { plan: { turnId }, people }: PlayedTurn,
  events: readonly EventData[],
): Promise<string[]> => {
  const end = events.at(-1) ?? {};
  const wrong: string[] = [];
  const { body: turn } = await requestUntilAnswered(chat, `/api/turns/${turnId}`);
  const status = STATUS[String(end['status'])] ?? 'failed';
  if (turn['status'] !== status) wrong.push(`row ${String(turn['status'])}, event ${status}`);
  const { body: page } = await requestUntilAnswered(
    chat,
    `/api/chat/messages?project_id=test&conversation_id=${turnId}&limit=100`,
  );
  const messages = (page['messages'] as StoredMessage[]).filter((message) => message.turnId === turnId);
  const said = messages.filter(({ sender, metadata }) => sender === 'user' && !metadata.steer);
  if (said.length !== 1) wrong.push(`${said.length} first messages`);
  const answers = messages.filter(({ sender }) => sender !== 'user');
  if (answers.length > 1) wrong.push(`${answers.length} answers`);
  if (end['type'] === 'done' && (answers[0]?.content ?? '') !== end['fullContent']) {
    wrong.push(`the stored answer is ${JSON.stringify(answers[0])}`);
  }
  for (const { messageId, body } of people.steers) {
    const stored = messages.filter(({ metadata }) => metadata.steer?.messageId === messageId);
    if (stored.length !== (body['state'] === 'accepted' ? 1 : 0)) {
      wrong.push(`${messageId}: ${stored.length} stored messages`);
    }
  }
  for (const { inputId } of ofType(events, 'input_requested')) {
    const path = `/api/turns/${String(inputId).replace('/', '/inputs/')}`;
    const { body } = await requestUntilAnswered(chat, path);
    const input = body['input'] as { status?: string; resolution?: { reply?: string } | null } | undefined;
    const event = ofType(events, 'input_resolved').find((one) => one['inputId'] === inputId);
    // A decision made in the same workflow task as a cancel has no event.
    const isSame = input?.resolution?.reply === event?.['reply'] || (!event && people.cancels > 0);
    if (input?.status !== 'closed' || !isSame) {
      wrong.push(`${String(inputId)}: row ${JSON.stringify(input)}, event ${JSON.stringify(event)}`);
    }
  }
  return wrong;
};
