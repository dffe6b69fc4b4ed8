import { CHANGED_AFTER_APPROVAL } from '../../../src/contracts/inputs/input-request.ts';
import {
  OUTCOME_UNKNOWN,
  type ToolApproval,
  type ToolCall,
  type ToolResult,
} from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey, ToolLedger } from '../../../src/contracts/tools/tool-ledger.ts';
import type { ToolExecutionContext, ToolExecutor } from '../../../src/protocol/ports/tool-executor.ts';
import { createExecuteOnce } from '../../../src/tools/run/execute-once.ts';
import type { Random } from '../../event-log/schedule/random.ts';
import { ScriptedTools } from '../../support/fake-ports.ts';
import { keyName, MemoryLedger } from '../../tools/support/memory-ledger.ts';

/** What a call has changed in the world. */
export interface Effect {
  readonly key: string;
  readonly tool: string;
  readonly arguments: string;
  /** Of what stood there when it happened. */
  readonly hash: string;
  readonly approval: ToolApproval | undefined;
}

/** A ledger whose rows name the request that let them run: one of `allow` and `edit` is good for one. */
class ApprovalLedger extends MemoryLedger {
  /** The turn has ended: nobody holds a fence. */
  isClosed = false;
  readonly #users = new Map<string, string>();

  override begin(key: LedgerKey, info: Parameters<ToolLedger['begin']>[1]): ReturnType<ToolLedger['begin']> {
    const { approval } = info;
    const user = approval?.once ? this.#users.get(approval.inputId) : undefined;
    if (user !== undefined && user !== keyName(key)) return Promise.resolve({ kind: 'spent' });
    if (approval?.once) this.#users.set(approval.inputId, keyName(key));
    return super.begin(key);
  }

  override holds(key: LedgerKey, attempt: number): Promise<boolean> {
    return this.isClosed ? Promise.resolve(false) : super.holds(key, attempt);
  }
}

/** Where an attempt ends early; `asleep`: it goes on once another attempt has been. */
const FATES = ['lives', 'lives', 'lives', 'dies before', 'dies after', 'answer lost', 'asleep'] as const;
const MAX_ATTEMPTS = 4;

class Killed extends Error {}

/** Workers that run calls, and die while they do: each is run by attempts until one answers. */
export class DyingWorkers implements ToolExecutor {
  readonly effects: Effect[] = [];
  /** Attempts that ended early. */
  kills = 0;
  readonly describe = new ScriptedTools().describe.bind(new ScriptedTools());
  readonly #ledger = new ApprovalLedger();
  readonly #random: Random;
  readonly #cancellation: { readonly requested: boolean };
  readonly #hashOf: (call: ToolCall) => string;
  readonly #meanwhile: () => void;
  #sleeping: (() => Promise<void>)[] = [];

  /** `hashOf`: of a call and what it would change, as it is; `meanwhile`: what others do between two steps. */
  constructor(
    random: Random,
    cancellation: { readonly requested: boolean },
    { hashOf, meanwhile }: { readonly hashOf: (call: ToolCall) => string; readonly meanwhile: () => void },
  ) {
    this.#random = random;
    this.#cancellation = cancellation;
    this.#hashOf = hashOf;
    this.#meanwhile = meanwhile;
  }

  async executeToolCalls(calls: readonly ToolCall[], context: ToolExecutionContext): Promise<ToolResult[]> {
    const results: ToolResult[] = [];
    const { position = 0, phaseIndex, approval, requestId: turnId } = context;
    for (const [index, call] of calls.entries()) {
      const key = { turnId, phaseIndex, position: position + index };
      results.push(await this.#execute(call, key, approval));
    }
    return results;
  }

  /** The turn has ended; who slept until now wakes up. */
  async close(): Promise<void> {
    this.#ledger.isClosed = true;
    await this.#wake();
  }

  async #wake(): Promise<void> {
    for (const goOn of this.#sleeping.splice(0)) await goOn();
  }

  async #execute(call: ToolCall, key: LedgerKey, approval?: ToolApproval): Promise<ToolResult> {
    for (let left = MAX_ATTEMPTS; ; left -= 1) {
      if (this.#cancellation.requested) throw new Error('cancelled');
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

  /** A process of its own: what one knew in memory the next does not. */
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
      spent: () => result({ success: false, error: 'The approval was used for another call.' }),
      lost: () => Promise.resolve(result({ success: false, error: OUTCOME_UNKNOWN })),
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

  /** As tools do that write: the fence is asked, and nothing awaited between its answer and the effect. */
  async #act(call: ToolCall, key: LedgerKey, attempt: number, approval?: ToolApproval): Promise<void> {
    if (!(await this.#ledger.holds(key, attempt))) return;
    if (this.describe(call.function.name)?.effect !== 'write') return;
    const hash = this.#hashOf(call);
    if (approval?.argsHash !== undefined && approval.argsHash !== hash) return;
    const { name: tool, arguments: text } = call.function;
    this.effects.push({ key: keyName(key), tool, arguments: text, hash, approval });
  }
}
