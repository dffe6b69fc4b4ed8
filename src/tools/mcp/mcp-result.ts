import type { ToolOutcome } from '../tool.ts';
import type { McpContentBlock, McpToolResult } from './mcp-requests.ts';
import type { McpCall } from './mcp-tool.ts';

/**
 * Returns a server's answer as an outcome. Structured content is the result where there is any, because the text only
 * repeats it. Binary content is replaced by its size, since models cannot read it here.
 */
export const mcpOutcome = (answer: McpToolResult, call: RepeatRule): ToolOutcome => {
  const text = answer.content.map(blockText).join('\n');
  if (answer.isError === true) return mcpFailure(text === '' ? 'the tool reported an error' : text, call);
  return { ok: true, result: answer.structuredContent ?? text };
};

type RepeatRule = Pick<McpCall, 'mayRunAgain'>;

/** Matches statuses of HTTP that mean “try again later”, which win over whatever else the text says. */
const TRANSIENT_STATUS = /\b(?:408|425|429)\b/;
const PERMANENT_CAUSE =
  /\bnot found\b|\bno such\b|\bdoes(?: not|n't) exist\b|\binvalid\b|\bpermission\b|\bforbidden\b|\bunauthori[sz]ed\b|\b4\d\d\b/i;

/**
 * Returns a failure that the server has answered with. MCP cannot say whether it may pass, so its text decides. The
 * model may repeat the call if a repeat does no harm (`mayRunAgain`) and the text names no lasting cause
 * (docs/protocol.md "Duplicates").
 */
export const mcpFailure = (error: string, { mayRunAgain }: RepeatRule): ToolOutcome => {
  const mayPass = mayRunAgain && (TRANSIENT_STATUS.test(error) || !PERMANENT_CAUSE.test(error));
  return { ok: false, error, ...(mayPass && { isRetryable: true }) };
};

const blockText = (block: McpContentBlock): string => {
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
