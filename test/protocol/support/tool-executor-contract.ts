import { describe, expect, it } from '@jest/globals';
import type { CallAnswerReference } from '../../../src/contracts/inputs/reply.ts';
import type { ToolApproval, ToolCall, ToolDeclaration } from '../../../src/contracts/tools/tool-call.ts';
import type { ToolExecutor, ToolExecutorContext } from '../../../src/protocol/ports/tool-executor.ts';
import { toolCall } from '../../support/fake-ports.ts';

/** What a tool of the contract's executors does, by the path in the arguments of its call. */
export type ToolDeed = 'succeeds' | 'fails' | 'breaks';

/** An execution as the tool saw it. */
export interface SeenExecution {
  readonly call: ToolCall;
  readonly approval: ToolApproval | undefined;
  readonly answer: CallAnswerReference | undefined;
}

/** An executor that offers `Files_read` and `Files_write`, and what only a test learns of it. */
export interface ToolsUnderContract {
  readonly tools: Pick<ToolExecutor, 'executeToolCalls'>;
  describe(name: string): ToolDeclaration | undefined | Promise<ToolDeclaration | undefined>;
  /** Returns the executions so far, in the order in which they began. */
  seen(): readonly SeenExecution[];
}

/** Returns what the tool does with a call. A call that succeeds has its own arguments as its result. */
export const deedOf = ({ function: { arguments: text } }: ToolCall): ToolDeed => {
  if (text.includes('breaks')) return 'breaks';
  return text.includes('fails') ? 'fails' : 'succeeds';
};

/** Returns a new context, whose deadline lies ahead however late the test runs. */
const newContext = (): ToolExecutorContext => ({
  projectId: 'p',
  requestId: 'r1',
  mode: 'act',
  phaseIndex: 1,
  delayMs: 0,
  deadline: Date.now() + 60_000,
});
/** Returns a call; providers reuse ids, so all of them have the same. */
const read = (path: string) => toolCall('Files_read', { path });

/** Describes what the core relies on when it runs tools. `open` is called once in each test. */
export const describeToolExecutor = (name: string, open: () => Promise<ToolsUnderContract>): void => {
  describe(`the port of tools: ${name}`, () => {
    it('runs calls in their order, and gives one result for each in the same order', async () => {
      const { tools, seen } = await open();
      const calls = [read('a'), read('b'), read('c')];
      const results = await tools.executeToolCalls(calls, newContext());
      expect(results.map(({ result }) => result)).toEqual(calls.map((call) => call.function.arguments));
      for (const result of results) {
        expect(result).toMatchObject({ toolCallId: 'call_1', toolName: 'Files.read', success: true });
      }
      expect(seen().map(({ call }) => call)).toEqual(calls);
    });

    it('gives a failure as a result, and runs the calls after it', async () => {
      const { tools } = await open();
      const results = await tools.executeToolCalls([read('fails'), read('b')], newContext());
      expect(results.map(({ success }) => success)).toEqual([false, true]);
      expect(results[0]?.error).toBe('not found');
    });

    it('never takes an execution that broke for a success', async () => {
      const { tools } = await open();
      const broken = tools.executeToolCalls([toolCall('Files_write', { path: 'breaks' })], newContext());
      const results = await broken.catch(() => [{ success: false }]);
      expect(results).toMatchObject([{ success: false }]);
    });

    it('gives the tool the approval and the answer of its call', async () => {
      const { tools, seen } = await open();
      const approval = { inputId: 'r1/1', once: true, argsHash: 'a'.repeat(64) };
      const answer = { ok: true, content: 'Blue.' };
      await tools.executeToolCalls([read('a')], { ...newContext(), approval });
      await tools.executeToolCalls([read('b')], { ...newContext(), phaseIndex: 3, answer });
      expect(seen().map((one) => [one.approval, one.answer])).toEqual([
        [approval, undefined],
        [undefined, answer],
      ]);
    });

    it('describes the tools that there are', async () => {
      const { describe: describeTool } = await open();
      expect(await describeTool('Files_read')).toMatchObject({ name: 'Files_read', effect: 'read' });
      expect(await describeTool('Nobody_knows')).toBeUndefined();
    });
  });
};
