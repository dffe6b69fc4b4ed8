import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { leftOutResult } from '../../../src/protocol/turn/left-out-result.ts';
import { toolResultText } from '../../../src/protocol/turn/tool-report.ts';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';

const result = (text: string): ToolResult => ({
  toolCallId: 'c1',
  toolName: 'Files.read',
  success: true,
  result: text,
  attempts: 1,
  durationMs: 1,
  timestamp: '2026-01-05T09:00:00.000Z',
});
const toolMessage = (content: string): ModelMessage => ({ role: 'tool', tool_call_id: 'c1', content });

describe('the line in the place of a result', () => {
  it('says how much is left out, in bytes of UTF-8', () => {
    expect(leftOutResult(toolMessage('x'.repeat(31 * 1024)))).toEqual(toolMessage('[left out: 31 KiB]'));
    expect(leftOutResult(toolMessage('界'.repeat(10 * 1024)))).toEqual(toolMessage('[left out: 30 KiB]'));
    expect(leftOutResult(toolMessage('x'.repeat(1024)))).toEqual(toolMessage('[left out: 1 KiB]'));
  });

  it('does not replace a result shorter than 1 KiB, nor itself', () => {
    expect(leftOutResult(toolMessage('x'.repeat(1023)))).toBeUndefined();
    expect(leftOutResult(toolMessage('[left out: 31 KiB]'))).toBeUndefined();
  });

  it('does not replace words of the user, of the model, or of Orion', () => {
    const content = `TOOL RESULT: ${'x'.repeat(5_000)}`;
    for (const role of ['user', 'assistant', 'system'] as const) {
      expect(leftOutResult({ role, content })).toBeUndefined();
    }
  });

  it('keeps the arguments that a person has changed', () => {
    const content = toolResultText(result('line\n'.repeat(1_000)), 'tool', '{"path":"b"}');
    expect(leftOutResult(toolMessage(content))).toEqual(
      toolMessage('The user changed the arguments to: {"path":"b"}\n\n[left out: 5 KiB]'),
    );
  });

  it('leaves out changed arguments that are long themselves, or only look like it', () => {
    const changed = 'The user changed the arguments to: ';
    const long = JSON.stringify({ path: 'b', text: '界'.repeat(1_000) });
    const line = `${changed}[left out: 3 KiB]\n\n[left out: 8 KiB]`;
    expect(leftOutResult(toolMessage(toolResultText(result('line\n'.repeat(1_000)), 'tool', long)))).toEqual(
      toolMessage(line),
    );
    const faked = leftOutResult(toolMessage(`${changed}${'x'.repeat(500_000)}\n\nno result`));
    expect(faked).toEqual(toolMessage(`${changed}[left out: 488 KiB]\n\n[left out: 488 KiB]`));
  });

  it('is in the box of a result that is a system message, with the name of its tool', () => {
    const rule = '═'.repeat(79);
    const boxed = (changed?: string): ModelMessage => ({
      role: 'system',
      content: toolResultText(result('x'.repeat(9 * 1024)), 'system', changed),
    });
    const line = `${rule}\nTOOL RESULT: Files.read\n${rule}\n[left out: 10 KiB]\n${rule}`;
    expect(leftOutResult(boxed())).toEqual({ role: 'system', content: line });
    expect(leftOutResult(boxed('{}'))).toEqual({
      role: 'system',
      content: `The user changed the arguments to: {}\n\n${line}`,
    });
  });
});
