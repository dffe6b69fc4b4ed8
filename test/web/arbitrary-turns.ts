import fc from 'fast-check';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { accept, type LoggedEvent } from '../../src/protocol/event-log/event-log.ts';
import { formatEventId } from '../../src/contracts/wire/event-id.ts';
import type { ReceivedEvent } from '../../src/web/turn/received-turn.ts';

const word = fc.constantFrom('Hello ', '**bold** ', '\n\n', '- one\n', '```\n', 'x = 1\n', '😀', '');
const callId = fc.constantFrom('a', 'b', 'c');
const usage = { promptTokens: 1, completionTokens: 1 };

/** Any event that neither ends a turn nor withdraws others. */
const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  { weight: 6, arbitrary: word.map((content): TurnEvent => ({ type: 'chunk', content })) },
  fc.record({
    type: fc.constant('phase' as const),
    phase: fc.constantFrom('action' as const, 'tool' as const),
    index: fc.nat(9),
    cycle: fc.nat(4),
  }),
  fc.constant<TurnEvent>({ type: 'chunk', content: '**System Notice**: no', notice: 'duplicate' }),
  fc.uniqueArray(callId, { maxLength: 3 }).map((ids): TurnEvent => ({
    type: 'tool_calls',
    calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'FileSystemTool_read_file', arguments: `{"path":"${id}"` },
    })),
  })),
  fc.record({
    type: fc.constant('tool_result' as const),
    callId,
    name: fc.constant('FileSystemTool_read_file'),
    ok: fc.boolean(),
    durationMs: fc.nat(9),
    bytes: fc.nat(9),
  }),
  fc.constantFrom('begun' as const, 'committed' as const).map((stage): TurnEvent => ({
    type: 'write_session',
    sessionId: 's',
    stage,
    target: 'a.md',
    bytes: 1,
    lines: 1,
    sha256: '',
  })),
);

type Move = { readonly event: TurnEvent } | { readonly withdrawFrom: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: event.map((each): Move => ({ event: each })) },
    { weight: 1, arbitrary: fc.nat(30).map((withdrawFrom): Move => ({ withdrawFrom })) },
  ),
  { maxLength: 60 },
);

/**
 * The events that a reader from the first moment is sent, and the list that a late reader is sent, by the rules of
 * docs/events.md.
 */
export interface SentTurn {
  readonly live: readonly ReceivedEvent[];
  readonly stored: readonly ReceivedEvent[];
}

const arrived = ({ id, event: sent }: LoggedEvent): ReceivedEvent => ({ id, event: sent });

const play = (made: readonly Move[], isOver: boolean): SentTurn => {
  const stored: LoggedEvent[] = [];
  const live: LoggedEvent[] = [];
  let epoch = 0;
  let seq = 0;
  const send = (next: LoggedEvent): void => {
    if (accept(stored, next) !== 'accepted') throw new Error(`not a turn: ${JSON.stringify(next)}`);
    live.push(next);
  };
  const last = (): string | null => {
    const end = stored.at(-1);
    return end ? formatEventId(end.id) : null;
  };
  for (const move of made) {
    if ('event' in move) {
      seq += 1;
      const first = seq === 1 && epoch === 0 ? { after: null } : {};
      send({ id: { epoch, seq }, ...first, event: move.event });
      continue;
    }
    const fromSeq = (move.withdrawFrom % (seq + 1)) + 1;
    const before = stored.findLast(({ id, event: each }) => each.type !== 'reset' && id.seq < fromSeq);
    epoch += 1;
    seq = fromSeq - 1;
    const after = before ? formatEventId(before.id) : null;
    send({ id: { epoch, seq }, after, event: { type: 'reset', fromSeq } });
  }
  if (isOver) {
    const end = { type: 'done', fullContent: '', status: 'completed', reason: 'answered', usage } as const;
    send({ id: { epoch: epoch + 1, seq: seq + 1 }, after: last(), event: end });
  }
  return { live: live.map(arrived), stored: stored.map(arrived) };
};

/** A turn with resets, as readers are sent it. */
export const sentTurn: fc.Arbitrary<SentTurn> = fc.tuple(moves, fc.boolean()).map((made) => play(...made));
