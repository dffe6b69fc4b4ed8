/** Covers results of which the ledger and a worker do not know the same. */
import { describe, expect, it } from '@jest/globals';
import { type ToolResult, OUTCOME_UNKNOWN } from '../../../src/contracts/tools/tool-call.ts';
import { createExecuteOnce } from '../../../src/tools/run/execute-once.ts';
import { MemoryLedger } from '../support/memory-ledger.ts';

const resultOf = (fields: Partial<ToolResult>): ToolResult => ({
  toolCallId: 'c',
  toolName: 'FileSystemTool.write_to_file',
  success: true,
  attempts: 1,
  durationMs: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
  ...fields,
});

const execution = (position: number) => ({
  key: { turnId: 't', phaseIndex: 1, position },
  toolName: 'FileSystemTool_write_to_file',
  arguments: '{}',
  mayRunAgain: false,
  run: () => Promise.resolve(resultOf({ result: position })),
  reportApprovalUsed: () => resultOf({ success: false, error: 'spent' }),
  reportLost: () => Promise.resolve(resultOf({ success: false, error: OUTCOME_UNKNOWN })),
});

describe('results whose storing failed', () => {
  it('are known to a retry in this process, but only the latest 256, so that an outage fills no memory', async () => {
    const ledger = new MemoryLedger();
    const execute = createExecuteOnce(ledger);
    for (let position = 0; position <= 256; position += 1) {
      ledger.failsNextFinish = true;
      await expect(execute(execution(position))).rejects.toThrow('connection terminated');
    }
    for (const position of [1, 256]) {
      await expect(execute(execution(position))).resolves.toMatchObject({ success: true, result: position });
    }
    await expect(execute(execution(0))).resolves.toMatchObject({ success: false, error: OUTCOME_UNKNOWN });
  });
});

it('an attempt that takes an earlier one for lost returns the result which that one stores meanwhile', async () => {
  const ledger = new MemoryLedger();
  const execute = createExecuteOnce(ledger);
  const { key } = execution(0);
  await ledger.begin(key);
  const late = resultOf({ result: 'of the first attempt' });
  const reportLost = async (): Promise<ToolResult> => {
    await ledger.finish(key, late);
    return execution(0).reportLost();
  };
  expect(await execute({ ...execution(0), reportLost })).toEqual(late);
});
