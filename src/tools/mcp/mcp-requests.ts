import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { errorMessage } from '../../contracts/values/error-message.ts';

/**
 * Largest number of tools that are read of one page. When a server has listed as many, no further page is read: more do
 * not fit into any prompt, however short they are.
 */
const MAX_LISTED_TOOLS = 1_000;
/** Largest number of pages that are read of a list of tools. Their tools may be few, or none. */
const MAX_PAGES = 20;
/** Largest number of blocks that are read of an answer. The model is shown 32 KiB in all. */
const MAX_BLOCKS = 1_000;

const listedToolSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .looseObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
    })
    .optional(),
});
/** A tool as its MCP server lists it: name, schema, annotations. */
export type ListedTool = z.infer<typeof listedToolSchema>;

const binarySchema = z.object({ data: z.string(), mimeType: z.string() });
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  binarySchema.extend({ type: z.literal('image') }),
  binarySchema.extend({ type: z.literal('audio') }),
  z.object({ type: z.literal('resource_link'), uri: z.string() }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ uri: z.string(), text: z.string() }),
      z.object({ uri: z.string(), blob: z.string() }),
    ]),
  }),
]);
/** One block of an MCP server's answer: text, an image, audio, or a resource. */
export type McpContentBlock = z.infer<typeof blockSchema>;

/** The answer of a tool of an MCP server, and whether the server calls it an error. */
export interface McpToolResult {
  readonly content: readonly McpContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/**
 * Reads the first `maxItems` items. Throws TypeError at the first wrong one. It replaces the SDK's schemas, which
 * describe every problem: with them, an answer of 2 MB with nothing but empty objects kept the worker busy for a
 * minute.
 */
const readItems = <T>(name: string, items: unknown, schema: z.ZodType<T>, maxItems: number): T[] => {
  if (!Array.isArray(items)) throw new TypeError(`expected a list of ${name}`);
  return items.slice(0, maxItems).map((item: unknown, index) => {
    const parsed = schema.safeParse(item);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new TypeError(`${[name, index, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  });
};

/**
 * Makes a reader of answers in the form that the client wants. What `read` throws is reported as the problem of the
 * answer.
 */
const readBy = <T>(read: (answer: object) => T): StandardSchemaV1<unknown, T> => ({
  '~standard': {
    version: 1,
    vendor: 'orion',
    validate(answer) {
      try {
        if (typeof answer !== 'object' || answer === null) throw new TypeError('expected an object');
        return { value: read(answer) };
      } catch (error) {
        return { issues: [{ message: errorMessage(error) }] };
      }
    },
  },
});

const answerReader = readBy((answer): McpToolResult => {
  const { content, structuredContent, isError } = answer as Record<string, unknown>;
  return {
    content: readItems('content', content ?? [], blockSchema, MAX_BLOCKS),
    ...(typeof structuredContent === 'object' && structuredContent !== null && { structuredContent }),
    isError: isError === true,
  };
});

const pageReader = readBy((answer) => {
  const { tools, nextCursor } = answer as Record<string, unknown>;
  return {
    tools: readItems('tools', tools, listedToolSchema, MAX_LISTED_TOOLS),
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
  };
});

/** The limits of waiting for an answer; `timeout` is in milliseconds. */
interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout: number;
}

/**
 * Calls a tool. Rejects when the server refuses, answers something else, is too slow or gone, and when the signal is
 * aborted.
 */
export const callMcpTool = (
  client: Client,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
  options: RequestOptions,
): Promise<McpToolResult> =>
  client.request({ method: 'tools/call', params: { ...params } }, answerReader, options);

/**
 * Lists the tools of a server, none if it offers none. Stops after the page with which `MAX_LISTED_TOOLS` is reached.
 * Rejects when that takes more than `MAX_PAGES` pages, and as `callMcpTool` does.
 */
export const listMcpTools = async (
  client: Client,
  options: RequestOptions,
): Promise<readonly ListedTool[]> => {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_LISTED_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const response = await client.request({ method: 'tools/list', params }, pageReader, options);
    tools.push(...response.tools);
    cursor = response.nextCursor;
    if (cursor === undefined) return tools;
  }
  if (tools.length >= MAX_LISTED_TOOLS) return tools;
  throw new Error(`the list of tools has more than ${MAX_PAGES} pages`);
};
