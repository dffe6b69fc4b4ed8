import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { TraceFields } from '../ports/trace-service.ts';
import type { ProtocolExecutionContext } from './execution-context.ts';
import type { TurnCounters } from './stop-policy.ts';

type Phase = (TurnEvent & { type: 'phase' })['phase'];

/** The phases of a turn, one after another, and its traces, which tell the phase in which they were recorded. */
export class TurnPhases {
  readonly #context: ProtocolExecutionContext;
  readonly #counters: Readonly<TurnCounters>;
  #open: Phase | undefined;
  #index = -1;

  /** `counters` are those of the turn, which raises them as it runs. */
  constructor(context: ProtocolExecutionContext, counters: Readonly<TurnCounters>) {
    this.#context = context;
    this.#counters = counters;
  }

  /** Index of the latest phase, counted from 0. -1 before the first. */
  get index(): number {
    return this.#index;
  }

  /**
   * Closes the open phase and opens the next, whose index is one more (I3 of docs/protocol.md "Invariants"). Returns
   * the event of the new phase, which the caller must yield at once.
   */
  open(phase: Phase): TurnEvent {
    this.close();
    this.#open = phase;
    this.#index += 1;
    const summary = `${phase} phase`;
    this.trace({ type: 'orchestration_phase_start', source: 'system', summary, details: { phase } });
    return { type: 'phase', phase, index: this.#index, cycle: this.#counters.cycles };
  }

  /** Closes the open phase. Does nothing if none is open. */
  close(): void {
    const phase = this.#open;
    if (phase === undefined) return;
    const summary = `${phase} phase`;
    this.trace({ type: 'orchestration_phase_end', source: 'system', summary, details: { phase } });
    this.#open = undefined;
  }

  /**
   * Records a trace, with its place in the turn if a phase is open. Never throws, because a trace may fail, but the
   * turn must not fail with it.
   */
  trace(fields: TraceFields): void {
    const { projectId, requestId, traceService } = this.#context;
    const place = { phaseIndex: this.#index, cycleIndex: this.#counters.cycles };
    try {
      const recorded: unknown = traceService.record({
        projectId,
        requestId,
        ...(this.#open && place),
        ...fields,
      });
      // The service of a host may be asynchronous.
      if (recorded instanceof Promise) recorded.catch(() => undefined);
    } catch {
      // The service should not throw. One that does loses only its own record.
    }
  }
}
