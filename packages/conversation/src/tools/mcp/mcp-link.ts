import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Fields } from '@session/contract/room';
import { ModelFailure } from '../../model/model-failure.ts';
import type { AgentTool } from '../agent-tool.ts';
import { shownText, timedCall, type UntimedResult } from '../call-result.ts';
import { checkObject } from '../check-arguments.ts';
import type { ExchangeOptions, ToolContext } from '../tool-exchange.ts';
import type { McpServerSettings } from '../tool-settings.ts';
import type { McpConnection } from './mcp-connection.ts';
import { callFailure, isLost, isUnknownSession, reasonOf } from './mcp-failures.ts';
import { mcpToolName, type OfferedTool, textOfResult } from './mcp-tool.ts';
import { offeredTools, openConnection, openLimit } from './offered-tools.ts';

const RETRY_MS = 30_000;
const REREAD_MS = 60_000;

export type ToolFault = 'tools_changed' | 'tools_unavailable';

export interface LinkOptions extends ExchangeOptions {
  readonly log?: (line: string) => void;
  readonly retryMs?: number;
  readonly clock?: () => number;
}

interface SelectedTool {
  readonly offered: string;
  readonly tool: AgentTool;
  readonly sizeBytes: number;
}

/**
 * Keeps a connection to one MCP server. While the server cannot be reached, it has no tools, and the connection is retried
 * every 30 s. The server's list of tools is read again at the start of a turn, at most once a minute.
 */
export class McpLink implements AsyncDisposable {
  readonly #server: McpServerSettings;
  readonly #context: ToolContext;
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  /** Settles within 5 s after the library has been loaded. */
  readonly opened: Promise<void>;
  #connection: McpConnection | undefined;
  readonly #lost = new Set<McpConnection>();
  #tools: readonly SelectedTool[] = [];
  #fault: ToolFault | undefined = 'tools_unavailable';
  #opening: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #listedAt = 0;
  readonly #logged = new Set<string>();

  constructor(server: McpServerSettings, context: ToolContext, options: LinkOptions) {
    this.#server = server;
    this.#context = context;
    this.#options = options;
    this.opened = this.#open();
  }

  get tools(): readonly SelectedTool[] {
    return this.#tools;
  }

  get fault(): ToolFault | undefined {
    return this.#fault;
  }

  refresh(): void {
    if (this.#connection && this.#now() - this.#listedAt >= REREAD_MS) void this.#open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    await this.#opening;
    await this.#connection?.[Symbol.asyncDispose]();
    this.#connection = undefined;
    await Promise.all(Array.from(this.#lost, async (connection) => await this.#end(connection)));
  }

  async #open(): Promise<void> {
    this.#opening ??= this.#connectAndList().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #connectAndList(): Promise<void> {
    clearTimeout(this.#retry);
    this.#listedAt = this.#now();
    const former = this.#connection;
    try {
      const limit = AbortSignal.any([this.#closing.signal, await openLimit()]);
      await this.#list(limit).catch(async (error: unknown) => {
        const isReplaced = this.#connection !== former;
        if (!former || !(isReplaced || isLost(error))) throw error;
        this.#lose();
        await this.#list(limit);
      });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#log(
        `listing tools of MCP server ${this.#server.name} failed, retrying: ${reasonOf(error)}`,
      );
      this.#lose();
      const { retryMs = RETRY_MS } = this.#options;
      this.#retry = setTimeout(() => void this.#open(), retryMs).unref();
    }
  }

  async #list(limit: AbortSignal): Promise<void> {
    this.#connection ??= await openConnection(this.#server, this.#context, limit);
    const connection = this.#connection;
    const offered = await offeredTools(connection, this.#context, limit);
    // A call lost the connection meanwhile. `limit` ends the attempts.
    if (this.#connection !== connection) return await this.#list(limit);
    this.#select(offered);
  }

  #lose(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#tools = [];
    this.#fault = 'tools_unavailable';
    if (!connection) return;
    this.#lost.add(connection);
    void connection.callsEnded.then(async () => await this.#end(connection));
  }

  async #end(connection: McpConnection): Promise<void> {
    await connection[Symbol.asyncDispose]().catch(() => {});
    this.#lost.delete(connection);
  }

  #select(offered: readonly OfferedTool[]): void {
    const { name: server, tools: allowed } = this.#server;
    const selected: SelectedTool[] = [];
    const taken = new Set<string>();
    let fault: ToolFault | undefined;
    for (const { name, digest } of allowed) {
      const found = offered.find((tool) => tool.name === name);
      const isChanged = found && digest !== undefined && digest !== found.digest;
      if (found && !isChanged) {
        const tool = this.#toolOf(found, mcpToolName(server, name, taken));
        taken.add(tool.name);
        selected.push({ offered: name, tool, sizeBytes: found.sizeBytes });
      } else {
        fault = isChanged ? (fault ?? 'tools_changed') : 'tools_unavailable';
        const why = isChanged ? 'has changed' : 'is not offered, is too large or contains a secret';
        this.#log(`leaving out tool ${JSON.stringify(name)} of MCP server ${server}: it ${why}`);
      }
    }
    this.#tools = selected;
    this.#fault = fault;
    if (!fault) this.#logged.clear();
  }

  #toolOf({ name, description, parameters, isReadOnly }: OfferedTool, called: string): AgentTool {
    const mayHaveEffects = !isReadOnly;
    const { timeoutMs } = this.#server;
    return {
      source: 'mcp',
      name: called,
      description,
      parameters,
      onInterrupt: isReadOnly ? 'cancel' : 'finish',
      record: 'full',
      mayHaveEffects,
      check: checkObject,
      send: async (args, signal) =>
        await timedCall(
          { timeoutMs, mayHaveEffects },
          signal,
          async (either) => this.#ended(await this.#call(name, args, either)),
          callFailure,
        ),
    };
  }

  async #call(name: string, args: Fields, signal: AbortSignal): Promise<CallToolResult> {
    const connection = this.#connection;
    if (!connection) throw new ModelFailure('unreachable', 'not connected');
    try {
      return await connection.callTool(name, args, signal);
    } catch (error) {
      if (signal.aborted || !isLost(error)) throw error;
      if (this.#connection === connection) this.#lose();
      const reopened = this.#open();
      if (!isUnknownSession(error)) throw error;
      await reopened;
      signal.throwIfAborted();
      // The server forgot this client, for example because it was restarted: no tool saw the call.
      const isOffered = this.#tools.some(({ offered }) => offered === name);
      if (!this.#connection || !isOffered) throw error;
      return await this.#connection.callTool(name, args, signal);
    }
  }

  #ended(result: CallToolResult): UntimedResult {
    const { text, isCut } = shownText(textOfResult(result), true, this.#context.mask);
    return { state: result.isError ? 'failed' : 'done', text, isCut, isFault: false };
  }

  #log(line: string): void {
    if (this.#logged.has(line)) return;
    this.#logged.add(line);
    this.#options.log?.(line);
  }

  #now(): number {
    return (this.#options.clock ?? (() => performance.now()))();
  }
}
