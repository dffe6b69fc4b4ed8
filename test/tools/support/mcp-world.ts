import { fileURLToPath } from 'node:url';
import type { McpServerSettings } from '../../../src/config/files/mcp-servers.ts';
import type { LedgerKey } from '../../../src/contracts/tools/tool-ledger.ts';
import { createMcpPool, type McpPool } from '../../../src/tools/mcp/mcp-pool.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import type { TurnMode, ToolDeclaration, ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { discardedCopies } from './temp-workspace.ts';

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FAULTY = script('../../support/faulty-mcp-server.ts');

export const stdioServer = (
  name: string,
  args: readonly string[],
  more: Partial<McpServerSettings> = {},
): McpServerSettings => ({
  name,
  transport: { kind: 'stdio', command: process.execPath, args, env: {}, cwd: undefined },
  effects: {},
  volatileFields: {},
  trustsAnnotations: true,
  timeoutMs: undefined,
  ...more,
});

export const faultyServer = (fault: string, ...args: string[]): McpServerSettings =>
  stdioServer('faulty', [FAULTY, fault, ...args]);

/** Returns the path of the program of a public server that is installed from npm. */
export const publicServer = (name: string): string =>
  script(`../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

export interface McpWorld {
  readonly pool: McpPool;
  readonly warnings: object[];
  names(mode: TurnMode): string[];
  describe(name: string): ToolDeclaration | undefined;
  call(name: string, args: object, mode?: TurnMode, signal?: AbortSignal): Promise<ToolResult>;
}

/** A server may take this long (ms) to start and to answer on a busy machine. */
const PATIENT_MS = 100_000;

/** Starts a pool behind the real registry and runner, as the worker wires them; calls time out after `timeoutMs`. */
export const startMcp = async (
  servers: readonly McpServerSettings[],
  timeoutMs = PATIENT_MS,
  limits = { connectMs: PATIENT_MS, startPatienceMs: PATIENT_MS, pingMs: PATIENT_MS },
): Promise<McpWorld> => {
  const warnings: object[] = [];
  const ignore = (): void => undefined;
  const warn = (fields: object): void => void warnings.push(fields);
  const pool = createMcpPool(servers, { debug: ignore, info: ignore, warn }, limits);
  await pool.start();
  const registry = createToolRegistry([], pool);
  const ledger = {
    begin: () => Promise.resolve({ kind: 'started' as const, attempt: 1 }),
    planWrite: () => Promise.resolve(true),
    holds: () => Promise.resolve(true),
    finish: (_key: LedgerKey, result: ToolResult) => Promise.resolve(result),
  };
  const runner = createToolRunner({
    copies: discardedCopies,
    registry,
    ledger,
    clock: { now: () => Date.now() },
    limits: { timeoutMs, retryDelayMs: 1, graceMs: 200 },
  });
  let phaseIndex = 0;
  return {
    pool,
    warnings,
    names: (mode) => registry.definitions(mode).map((definition) => definition.function.name),
    describe: (name) => registry.describe(name),
    call(name, args, mode = 'act', signal = new AbortController().signal) {
      phaseIndex += 1;
      const call = {
        id: 'c',
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(args) },
      };
      return runner.execute(call, { turnId: 't', projectId: 'p', mode, phaseIndex, position: 0, signal });
    },
  };
};
