import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolOutcome } from '../tool.ts';

/**
 * A server's answer as an outcome. Structured content is the result where there is some, because its text form
 * says the same once more; binary content is named by its size, models cannot read it here.
 */
export const mcpOutcome = (answer: CallToolResult): ToolOutcome => {
  const text = (answer.content ?? []).map(blockText).join('\n');
  if (answer.isError === true) return { ok: false, error: text === '' ? 'the tool reported an error' : text };
  return { ok: true, result: answer.structuredContent ?? text };
};

const blockText = (block: ContentBlock): string => {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${base64Bytes(block.data)} bytes]`;
    case 'resource_link':
      return `[resource ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${base64Bytes(block.resource.blob)} bytes]`;
    default:
      return `[content of type ${String((block satisfies never as { type: unknown }).type)}]`;
  }
};

const base64Bytes = (data: string): number => Math.floor((data.replace(/=+$/, '').length * 3) / 4);
