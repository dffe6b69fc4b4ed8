/** Tests the model call and the tool execution of a turn over a provider and a tool, as its workflow calls them. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { z } from 'zod';
import { createExecuteTool } from '../../activities/execute-tool/execute-tool.ts';
import type { CallModelInput, ExecuteToolInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolResult } from '../../src/contracts/tools/tool-call.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/run/runner.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { useFakeModel } from '../llm/support/client-fixture.ts';
import { declareTool } from '../support/fake-ports.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { MemoryLedger } from '../tools/support/memory-ledger.ts';
import { RUN_ID } from './support/activity-inputs.ts';
import { ModelAttempt } from './support/model-attempt.ts';
import { describeTurnActivities, READ_TOOL } from './support/turn-activities-contract.ts';
import { discardedCopies } from '../tools/support/temp-workspace.ts';

const tool: Tool = {
  declaration: declareTool(READ_TOOL, 'read', { pathArguments: ['path'] }),
  aliases: [],
  description: 'Reads.',
  input: z.unknown(),
  execute: () => Promise.resolve({ ok: true, result: 'content' }),
};
const registry = createToolRegistry([tool]);

const execute = createExecuteTool({
  runner: createToolRunner({
    registry,
    copies: discardedCopies,
    ledger: new MemoryLedger(),
    clock: { now: () => Date.now() },
  }),
  pingTemporal: () => Promise.resolve(),
  traces: { record: () => Promise.resolve() },
  turns: { find: () => Promise.resolve(undefined) },
  startNotifications: () => Promise.resolve(),
  inputs: { close: () => Promise.resolve() },
  replyContents: { find: () => Promise.resolve(undefined) },
  registry,
});
const executeTool = async (input: ExecuteToolInput): Promise<ToolResult> =>
  (await new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/turn-1', runId: RUN_ID }, heartbeatTimeoutMs: 30_000 },
    { logger: new DefaultLogger('ERROR') },
  ).run(execute, input)) as ToolResult;

const provider = useFakeModel();

describeTurnActivities('over a provider and a tool', ({ texts = [], calls = [] }) => {
  const [call] = calls;
  provider.fake.script(
    call
      ? answerWithCall(call.function.name, call.function.arguments, { id: call.id, text: texts.join('') })
      : answer(...texts),
  );
  const attempt = new ModelAttempt(provider.fake.baseUrl, { registry });
  const callModel = (input: CallModelInput) => attempt.run(input);
  return { activities: { callModel, executeTool }, signalled: attempt.signalled };
});
