import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { discardedCopies, inTempWorkspace, type TempWorkspace } from './temp-workspace.ts';

export type Execute = (name: string, args: object) => Promise<ToolResult>;

/** Runs `test` with the built-in tools behind the real runner, where each call has a place of its own. */
export const withTools = (test: (execute: Execute, temp: TempWorkspace) => Promise<void>): Promise<void> =>
  inTempWorkspace({}, async (temp) => {
    const registry = createToolRegistry(createWorkspaceTools(temp.workspace));
    const runner = createToolRunner({
      copies: discardedCopies,
      registry,
      ledger: new MemoryLedger(),
      clock: { now: () => Date.now() },
    });
    const { signal } = new AbortController();
    let phaseIndex = 0;
    const execute: Execute = (name, args) => {
      phaseIndex += 1;
      const call = {
        id: 'c',
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      } as const;
      return runner.execute(call, {
        turnId: 't',
        projectId: 'p',
        mode: 'act',
        phaseIndex,
        position: 0,
        signal,
      });
    };
    await test(execute, temp);
  });
