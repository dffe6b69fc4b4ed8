import { CHANGED_AFTER_APPROVAL } from '../../../src/contracts/inputs/input-request.ts';
import {
  OUTCOME_UNKNOWN,
  type ToolApproval,
  type ToolCall,
  type ToolResult,
} from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey } from '../../../src/contracts/tools/tool-ledger.ts';
import type { ToolExecutorContext, ToolExecutor } from '../../../src/protocol/ports/tool-executor.ts';
import { createExecuteOnce } from '../../../src/tools/run/execute-once.ts';
import type { Random } from '../../support/random.ts';
import { ScriptedTools } from '../../support/fake-ports.ts';
import { keyName, MemoryLedger } from '../../tools/support/memory-ledger.ts';

/** A change that a call made in the world. */
export interface Effect {
  readonly key: string;
  readonly tool: string;
  readonly arguments: string;
  /** The hash of the call and of its target at that moment. */
  readonly hash: string;
  readonly approval: ToolApproval | undefined;
}

/** The places at which an attempt ends early; one that is `asleep` goes on after another attempt has run. */
const FATES = ['lives', 'lives', 'lives', 'dies before', 'dies after', 'answer lost', 'asleep'] as const;
const MAX_ATTEMPTS = 4;

class Killed extends Error {}

/**
 * Workers that run calls and die over them: each call is run by attempts until one of them answers. Attempts run
 * through the product's own `createExecuteOnce`, over a ledger that keeps the contract of ledgers.
 */
export class DyingWorkers implements ToolExecutor {
  readonly effects: Effect[] = [];
  /** The number of attempts that ended early. */
  kills = 0;
  readonly describe = new ScriptedTools().describe.bind(new ScriptedTools());
  readonly #ledger = new MemoryLedger();
  readonly #random: Random;
  readonly #cancellation: { readonly isRequested: boolean };
  readonly #hashOf: (call: ToolCall) => string;
  readonly #meanwhile: () => void;
  #sleeping: (() => Promise<void>)[] = [];

  /**
   * `hashOf` returns the hash of a call and of its target at this moment; `meanwhile` does what others do between two
   * steps.
   */
  constructor(
    random: Random,
    cancellation: { readonly isRequested: boolean },
    { hashOf, meanwhile }: { readonly hashOf: (call: ToolCall) => string; readonly meanwhile: () => void },
  ) {
    this.#random = random;
    this.#cancellation = cancellation;
    this.#hashOf = hashOf;
    this.#meanwhile = meanwhile;
  }

  async executeToolCalls(calls: readonly ToolCall[], context: ToolExecutorContext): Promise<ToolResult[]> {
    const results: ToolResult[] = [];
    const { position = 0, phaseIndex, approval, requestId: turnId } = context;
    for (const [index, call] of calls.entries()) {
      const key = { turnId, phaseIndex, position: position + index };
      results.push(await this.#execute(call, key, approval));
    }
    return results;
  }

  /** Ends the turn; attempts that slept until now go on. */
  async close(turnId: string): Promise<void> {
    this.#ledger.endedTurns.add(turnId);
    await this.#wake();
  }

  async #wake(): Promise<void> {
    for (const goOn of this.#sleeping.splice(0)) await goOn();
  }

  async #execute(call: ToolCall, key: LedgerKey, approval?: ToolApproval): Promise<ToolResult> {
    for (let left = MAX_ATTEMPTS; ; left -= 1) {
      if (this.#cancellation.isRequested) throw new Error('cancelled');
      const fate = left > 1 ? (this.#random.pick(FATES) ?? 'lives') : 'lives';
      if (fate !== 'lives') this.kills += 1;
      try {
        return await this.#attempt(call, key, fate, approval);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        this.#meanwhile();
        if (this.#random.chance(0.5)) await this.#wake();
      }
    }
  }

  /** Runs one attempt as a process of its own, which remembers nothing of the one before. */
  async #attempt(
    call: ToolCall,
    key: LedgerKey,
    fate: (typeof FATES)[number],
    approval?: ToolApproval,
  ): Promise<ToolResult> {
    const result = (more: Partial<ToolResult> & { readonly success: boolean }): ToolResult => ({
      toolCallId: call.id,
      toolName: call.function.name,
      attempts: 1,
      durationMs: 1,
      timestamp: '2026-01-05T09:00:00.000Z',
      ...more,
    });
    const { name } = call.function;
    const done = await createExecuteOnce(this.#ledger)({
      key,
      toolName: name,
      arguments: call.function.arguments,
      ...(approval && { approval }),
      mayRunAgain: this.describe(name)?.effect !== 'write',
      reportApprovalUsed: () => result({ success: false, error: 'The approval was used for another call.' }),
      reportLost: () => Promise.resolve(result({ success: false, error: OUTCOME_UNKNOWN })),
      run: async (attempt) => {
        if (approval?.argsHash !== undefined && approval.argsHash !== this.#hashOf(call)) {
          return result({ success: false, error: CHANGED_AFTER_APPROVAL });
        }
        if (fate === 'dies before') throw new Killed();
        const act = () => this.#act(call, key, attempt, approval);
        if (fate === 'asleep') {
          this.#sleeping.push(act);
          throw new Killed();
        }
        await act();
        if (fate === 'dies after') throw new Killed();
        return result({ success: true, result: `${this.effects.length}` });
      },
    });
    if (fate === 'answer lost') throw new Killed();
    return done;
  }

  /**
   * Changes the world as tools that write do: it asks for the fence, and awaits nothing between the answer and the
   * effect.
   */
  async #act(call: ToolCall, key: LedgerKey, attempt: number, approval?: ToolApproval): Promise<void> {
    if (!(await this.#ledger.holds(key, attempt))) return;
    if (this.describe(call.function.name)?.effect !== 'write') return;
    const hash = this.#hashOf(call);
    if (approval?.argsHash !== undefined && approval.argsHash !== hash) return;
    const { name: tool, arguments: text } = call.function;
    this.effects.push({ key: keyName(key), tool, arguments: text, hash, approval });
  }
}
