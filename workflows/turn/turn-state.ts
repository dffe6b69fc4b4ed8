import type { TurnWaste } from '../../src/contracts/turn/turn-facts.ts';
import type { CloseTurnInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { CHARACTERS_PER_TOKEN, type TokenUsage } from '../../src/contracts/model/model-message.ts';
import type { TurnEvent } from '../../src/contracts/wire/turn-event.ts';
import { type Budgets, MAX_PHASE_CYCLES, type ResolvedConfig } from '../../src/contracts/turn/budgets.ts';
import type { TurnInput, TurnProgress } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { type GrantedBudgets, grantMore, initialGrants } from '../../src/protocol/turn/grant.ts';
import { addUsage } from '../../src/protocol/stream/token-usage.ts';
import { createCounters } from '../../src/protocol/turn/stop-policy.ts';

/** Largest number of executions that the details show. The history has all of them. */
const SHOWN_EXECUTIONS = 10;
const SHOWN_ERROR_CHARACTERS = 160;

/**
 * The state of a turn as the Web UI, the status query and the closed row show it. Its phase, counts and budgets are
 * derived only from its input and its events.
 */
export class TurnState {
  #phase: TurnProgress['phase'] = null;
  #cycle = 0;
  /**
   * Number of notices about duplicates. A repeat that reaches a limit may have no notice, because a message of the user
   * may come first.
   */
  #duplicatesRefused = 0;
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  readonly #config: ResolvedConfig;
  #granted: GrantedBudgets;
  readonly #executions: string[] = [];

  constructor({ budgets, toolResultRole, maxPhaseCyclesLimit = MAX_PHASE_CYCLES }: TurnInput) {
    this.#config = { ...budgets, toolResultRole, maxPhaseCyclesLimit };
    this.#granted = initialGrants(this.#config);
  }

  /** Takes in one event. Returns true if what the Web UI shows of the turn may have changed. */
  observe(event: TurnEvent): boolean {
    switch (event.type) {
      case 'phase':
        this.#phase = { index: event.index, kind: event.phase };
        this.#cycle = event.cycle;
        return true;
      case 'tool_result':
        this.#cycle += 1;
        return true;
      case 'chunk':
        if (event.notice === 'duplicate' || event.notice === 'duplicate_limit') this.#duplicatesRefused += 1;
        return false;
      case 'steer':
        return this.#grant({ addsTime: false });
      case 'input_resolved':
        return event.reply === 'keep_going' && this.#grant({ addsTime: true });
      default:
        return false;
    }
  }

  /** The turn's budgets, including what was granted beyond them. */
  get budgets(): Budgets {
    return this.#granted.budgets;
  }

  /**
   * The current phase as the summaries of model calls name it, such as `action 2`. It is `start` before the first
   * phase.
   */
  get phaseLabel(): string {
    return this.#phase ? `${this.#phase.kind} ${this.#phase.index}` : 'start';
  }

  /**
   * The latest executions, newest last, each in words: `✗ tool 3 · FileSystemTool.read_file a.md — not found: a.md`.
   */
  get executions(): readonly string[] {
    return this.#executions;
  }

  /**
   * Notes the end of a tool execution. The Web UI shows an activity as completed even if its tool has failed, so the
   * details show the failure.
   */
  noteExecution(summary: string, { success, error = 'failed' }: Pick<ToolResult, 'success' | 'error'>): void {
    const failure = error.replaceAll(/\s+/g, ' ').slice(0, SHOWN_ERROR_CHARACTERS);
    this.#executions.push(success ? `✓ ${summary}` : `✗ ${summary} — ${failure}`);
    if (this.#executions.length > SHOWN_EXECUTIONS) this.#executions.shift();
  }

  /** Adds the usage of a model call that has ended. */
  addUsage(usage: TokenUsage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** The tokens of the model calls so far. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** The current phase. Null before the first one. */
  get phase(): TurnProgress['phase'] {
    return this.#phase;
  }

  /** The number of tools executed so far. */
  get cycle(): number {
    return this.#cycle;
  }

  /**
   * Returns the waste of the turn. Tokens of withdrawn text are estimated, since the attempt that wrote it has reported
   * no usage.
   */
  waste(discardedCharacters: number): TurnWaste {
    return {
      duplicatesRefused: this.#duplicatesRefused,
      retriedTokens: Math.ceil(discardedCharacters / CHARACTERS_PER_TOKEN),
      discardedCharacters,
    };
  }

  /** Returns the figures that are stored with the end of the turn. */
  figures(discardedCharacters: number): Pick<CloseTurnInput, 'usage' | 'phase' | 'cycle' | 'waste'> {
    return {
      usage: this.#usage,
      phase: this.#phase?.index ?? 0,
      cycle: this.#cycle,
      waste: this.waste(discardedCharacters),
    };
  }

  /** Grants what the core grants at the same event, so that the shown budgets are the core's. */
  #grant({ addsTime }: { readonly addsTime: boolean }): true {
    const counters = { ...createCounters(), cycles: this.#cycle };
    this.#granted = grantMore(this.#granted, counters, this.#config, { addsTime });
    return true;
  }
}
