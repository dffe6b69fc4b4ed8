import { Client } from '@modelcontextprotocol/client';
import { Backoff } from '../../base/timing/backoff.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import type { McpServerSettings } from '../../config/files/mcp-servers.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import type { ArgumentCheck } from './argument-check.ts';
import { callMcpTool, type ListedTool, listMcpTools } from './mcp-requests.ts';
import { mcpOutcome, failedCall } from './mcp-result.ts';
import type { McpCall, McpLog } from './mcp-tool.ts';
import { createMcpTransport } from './mcp-transport.ts';
import { offeredTools } from './offered-tools.ts';

/** The time limits of one MCP server, in milliseconds. */
export interface McpLimits {
  /**
   * Time for opening a connection and reading its tool list, together. When the list is read again, each of its pages
   * has this time.
   */
  readonly connectMs: number;
  /**
   * Time after which a worker starts without the servers that have not answered. Their tools are there once they do.
   */
  readonly startPatienceMs: number;
  /** Time for the answer to a ping, which is sent after a call was aborted. */
  readonly pingMs: number;
}

/** The time limits of MCP servers in production, in milliseconds. */
export const DEFAULT_MCP_LIMITS: McpLimits = { connectMs: 10_000, startPatienceMs: 3_000, pingMs: 2_000 };

/**
 * Time in milliseconds that the SDK waits for an answer of a server whose settings name no time. The runner's own time
 * limit aborts a call earlier.
 */
const CALL_TIMEOUT_MS = 600_000;

/** The first pause in milliseconds before a server that cannot be used is connected again. Later ones are longer. */
const FIRST_PAUSE_MS = 1_000;

/** The longest pause in milliseconds before a server is connected again. */
const MAX_PAUSE_MS = 60_000;

export interface McpServerDeps {
  readonly log: McpLog;
  readonly limits: McpLimits;
  readonly check: ArgumentCheck;
}

interface McpConnection {
  readonly client: Client;
  /** The reason why this process closed the connection. The SDK then says only that it was closed. */
  readonly trouble: { reason?: Error };
  readonly tools: ReadonlyMap<string, Tool>;
}

/**
 * One configured MCP server. It is connected once per worker, and again after a crash: with a growing pause, or when
 * one of its tools is called. If the server hangs, crashes or breaks the protocol, a call of its tools ends in a failed
 * result.
 */
export class McpServer {
  readonly settings: McpServerSettings;
  readonly #log: McpLog;
  readonly #limits: McpLimits;
  readonly #check: ArgumentCheck;
  #connecting: Promise<McpConnection> | undefined;
  #connection: McpConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  #isClosed = false;

  constructor(settings: McpServerSettings, { log, limits, check }: McpServerDeps) {
    this.settings = settings;
    this.#log = log;
    this.#limits = limits;
    this.#check = check;
  }

  /** Tools of the server's list as it was last read. There are none while the server is not connected. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#connection?.tools ?? new Map();
  }

  /** Connects the server unless it is connected. Resolves when that has worked or failed; never rejects. */
  async tryConnect(): Promise<void> {
    await this.#connect().catch(() => undefined);
  }

  /** Ends the connection, and the tries to open another one. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    this.#connection = undefined;
    await connection?.client.close().catch(() => undefined);
  }

  /**
   * Opens the connection if there is none, and returns it. Simultaneous callers share one attempt. Rejects when the
   * connection cannot be opened or the worker is stopping.
   */
  #connect(): Promise<McpConnection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#isClosed) return Promise.reject(new Error('the worker is stopping'));
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<McpConnection> {
    const { name, transport: settings } = this.settings;
    clearTimeout(this.#retry);
    const trouble: McpConnection['trouble'] = {};
    const client = this.#createClient();
    let isHandshake = true;
    const transport = createMcpTransport(settings, {
      isHandshake: () => isHandshake,
      onCut: (reason) => {
        trouble.reason ??= reason;
        void client.close().catch(() => undefined);
      },
      onStderr: (text) => this.#log.debug({ server: name, stderr: text.slice(0, 1_000) }, 'MCP server says'),
    });
    try {
      const signal = AbortSignal.timeout(this.#limits.connectMs);
      const options = { signal, timeout: this.#limits.connectMs };
      await client.connect(transport, options);
      isHandshake = false;
      const connection = { client, trouble, tools: this.#toolsOf(await listMcpTools(client, options)) };
      this.#connection = connection;
      this.#backoff.reset();
      this.#log.info({ server: name, tools: connection.tools.size }, 'MCP server connected');
      return connection;
    } catch (error) {
      await client.close().catch(() => undefined);
      this.#log.warn(
        { server: name, reason: errorMessage(trouble.reason ?? error) },
        'MCP server cannot be used, trying again',
      );
      this.#retryLater();
      throw error;
    }
  }

  #createClient(): Client {
    const changed = { autoRefresh: false, onChanged: () => void this.#refreshTools(client) };
    const client = new Client({ name: 'orion', version: '1' }, { listChanged: { tools: changed } });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no event target
    client.onclose = () => this.#onClosed(client);
    return client;
  }

  /** Reads the list of tools again after a change. If it cannot be read, the earlier list stays. */
  async #refreshTools(client: Client): Promise<void> {
    const listed = await listMcpTools(client, { timeout: this.#limits.connectMs }).catch(() => undefined);
    if (!listed || this.#connection?.client !== client) return;
    this.#connection = { ...this.#connection, tools: this.#toolsOf(listed) };
  }

  #toolsOf(list: readonly ListedTool[]): ReadonlyMap<string, Tool> {
    const { name: server } = this.settings;
    const log = this.#log;
    return offeredTools(this.settings, list, {
      log,
      execute: (call, context) => this.#call(call, context),
      check: (tool, request) =>
        this.#check.findIssues(request, () =>
          log.warn(
            { server, tool },
            'MCP schema takes too long to check; its arguments are left to the server',
          ),
        ),
    });
  }

  /** Calls a tool. Rejects only with the reason of an aborted signal; every other failure is an outcome. */
  async #call(call: McpCall, { signal }: ToolContext): Promise<ToolOutcome> {
    const connection = await this.#connect().catch(errorMessage);
    if (typeof connection === 'string') {
      const error = `MCP server ${this.settings.name} cannot be reached: ${connection}`;
      return { ok: false, error, isTransient: true };
    }
    signal.throwIfAborted();
    const { tool, args } = call;
    try {
      const options = { signal, timeout: this.settings.timeoutMs ?? CALL_TIMEOUT_MS };
      return mcpOutcome(await callMcpTool(connection.client, { name: tool, arguments: args }, options), call);
    } catch (error) {
      if (signal.aborted) void this.#replaceIfSilent(connection.client);
      signal.throwIfAborted();
      return failedCall(call, connection.trouble.reason ?? error);
    }
  }

  /**
   * Closes the connection unless the server answers a ping. A server whose call was aborted, usually at its time limit,
   * may hang for good. Only a new connection helps then.
   */
  async #replaceIfSilent(client: Client): Promise<void> {
    try {
      await client.ping({ timeout: this.#limits.pingMs });
    } catch {
      await client.close().catch(() => undefined);
    }
  }

  #onClosed(client: Client): void {
    if (this.#connection?.client !== client) return;
    this.#connection = undefined;
    this.#log.warn({ server: this.settings.name }, 'MCP server closed the connection');
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.tryConnect(), this.#backoff.nextPause());
    this.#retry.unref();
  }
}
