import { ApplicationFailure } from '@temporalio/activity';
import type { ExecuteToolInput } from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { ToolDeclaration } from '../../../src/contracts/tools/tool-call.ts';
import { callOptions } from '../../protocol/support/model-port-contract.ts';
import { deedOf, type ToolsUnderContract } from '../../protocol/support/tool-executor-contract.ts';
import { toolCall } from '../../support/fake-ports.ts';
import type { HostPorts } from './hosted-ports.ts';
import { answeredCall, succeeded } from './scripted-activities.ts';

/** Starts a turn whose model has named both tools of the contract, and resolves to its port of tools. */
export const openHostedTools = async (host: HostPorts): Promise<ToolsUnderContract> => {
  const executed: ExecuteToolInput[] = [];
  const calls = [toolCall('Files_read'), toolCall('Files_write')];
  const { tools, model, ask } = await host(() => ({
    callModel: (input) => Promise.resolve(answeredCall(input, { calls })),
    executeTool: async (input) => {
      executed.push(input);
      const deed = deedOf(input.call);
      if (deed === 'breaks') throw ApplicationFailure.nonRetryable('every worker was lost');
      const result = succeeded(input, input.call.function.arguments);
      const { result: _none, ...failed } = { ...result, success: false, error: 'not found' };
      return deed === 'fails' ? failed : result;
    },
  }));
  await model.callModel([{ role: 'user', content: 'Look.' }], callOptions());
  return {
    tools,
    describe: async (name) => (await ask('tools', 'describe', name)) as ToolDeclaration | undefined,
    seen: () => executed.map(({ call, approval, answer }) => ({ call, approval, answer })),
  };
};
