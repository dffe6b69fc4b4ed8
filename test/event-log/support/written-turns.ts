import fc from 'fast-check';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { attemptEpoch, formatEventId, workflowEpoch } from '../../../src/contracts/wire/event-id.ts';
import type { LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';

/** Events of every kind that is packed in a form of its own. */
const anyEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({ type: fc.constant('chunk' as const), content: fc.string() }),
  fc.record({
    type: fc.constant('chunk' as const),
    content: fc.string(),
    notice: fc.constantFrom('duplicate' as const, 'tool_result' as const),
  }),
  fc.record({
    type: fc.constant('phase' as const),
    phase: fc.constantFrom('action' as const, 'tool' as const),
    index: fc.nat(9),
    cycle: fc.nat(9),
  }),
  fc.constant<TurnEvent>({ type: 'tool_calls', calls: [] }),
);

const writtenStep = fc.record({
  /** The events of each attempt; all attempts except the last died. */
  attempts: fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  between: fc.array(anyEvent, { maxLength: 3 }),
});

interface WrittenTurn {
  /** Everything that any writer wrote, including dead attempts, in the order of the ids. */
  readonly written: LoggedEvent[];
  /** The events that remain in the end. */
  readonly surviving: LoggedEvent[];
}

/** Turns whose steps were tried one to four times, written by the rules of docs/events.md. */
export const writtenTurn: fc.Arbitrary<WrittenTurn> = fc
  .array(writtenStep, { minLength: 1, maxLength: 4 })
  .map((steps) => {
    const written: LoggedEvent[] = [];
    let surviving: LoggedEvent[] = [];
    const write = (epoch: number, events: readonly TurnEvent[], firstSeq: number): LoggedEvent[] => {
      const last = surviving.at(-1);
      const stored = events.map((event, index): LoggedEvent => {
        const id = { epoch, seq: firstSeq + index };
        return index === 0 ? { id, after: last ? formatEventId(last.id) : null, event } : { id, event };
      });
      written.push(...stored);
      return stored;
    };
    steps.forEach(({ attempts, between }, index) => {
      const step = index + 1;
      const fromSeq = (surviving.at(-1)?.id.seq ?? 0) + 1;
      let lived: LoggedEvent[] = [];
      attempts.forEach((events, tried) => {
        const epoch = attemptEpoch(step, tried + 1);
        lived =
          tried === 0
            ? write(epoch, events, fromSeq)
            : write(epoch, [{ type: 'reset', fromSeq }, ...events], fromSeq - 1);
      });
      surviving = [...surviving, ...lived];
      const own = write(workflowEpoch(step), between, (surviving.at(-1)?.id.seq ?? 0) + 1);
      surviving = [...surviving, ...own];
    });
    return { written, surviving };
  });
