import { ProtocolError } from '@modelcontextprotocol/client';
import { OUTCOME_UNKNOWN } from '../../contracts/tools/tool-call.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
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
const mcpFailure = (error: string, { mayRunAgain }: RepeatRule): ToolOutcome => {
  const mayPass = mayRunAgain && (TRANSIENT_STATUS.test(error) || !PERMANENT_CAUSE.test(error));
  return { ok: false, error, ...(mayPass && { isRetryable: true }) };
};

/**
 * The error codes with which a server refuses a request that it has not carried out: no JSON, no request, no such
 * method or tool, wrong parameters (https://www.jsonrpc.org/specification#error_object).
 */
const REFUSAL_CODES: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602]);

/**
 * Returns the outcome of a failed call. If the server has refused the request, the tool has not run. After any other
 * error, also an internal one of the server, it is unknown whether a write has happened.
 */
export const failedCall = (call: McpCall, error: unknown): ToolOutcome => {
  const { effect } = call;
  const reason = errorMessage(error);
  if (error instanceof ProtocolError && (effect !== 'write' || REFUSAL_CODES.has(error.code))) {
    return mcpFailure(reason, call);
  }
  if (effect !== 'write') return { ok: false, error: reason, isTransient: true };
  const details = `${reason}; the call may or may not have taken effect.`;
  return { ok: false, error: OUTCOME_UNKNOWN, details };
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
