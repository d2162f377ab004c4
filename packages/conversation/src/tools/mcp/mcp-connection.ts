import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import type { Fields } from '@session/contract/room';
import type { HttpExchange } from '../../model/http-exchange.ts';
import type { McpServerSettings } from '../tool-settings.ts';
import { mcpFetch, type RequestOwner } from './mcp-fetch.ts';

const MAX_PAGES = 4;
const GRACE_MS = 1000;

export interface McpConnectionOptions {
  readonly server: McpServerSettings;
  readonly exchange: HttpExchange;
}

/** A client of one MCP server, from its handshake until the connection is lost. It announces no capabilities. */
export class McpConnection implements AsyncDisposable {
  readonly #client: Client;
  readonly #owners: AsyncLocalStorage<RequestOwner>;
  readonly #timeoutMs: number;
  readonly #end: () => Promise<void>;
  readonly #calls = new Set<Promise<unknown>>();
  #ended: Promise<void> | undefined;

  private constructor(
    client: Client,
    owners: AsyncLocalStorage<RequestOwner>,
    timeoutMs: number,
    end: () => Promise<void>,
  ) {
    this.#client = client;
    this.#owners = owners;
    this.#timeoutMs = timeoutMs;
    this.#end = end;
  }

  /** Throws when the server does not answer as an MCP server before `signal` aborts. */
  static async open(
    { server, exchange }: McpConnectionOptions,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const { url, headers, timeoutMs } = server;
    const owners = new AsyncLocalStorage<RequestOwner>();
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: mcpFetch({ exchange, owners, timeoutMs: timeoutMs + GRACE_MS }),
      requestInit: { headers },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const client = new Client(
      { name: 'conversation-agent', version: '1' },
      {
        listMaxPages: MAX_PAGES,
        // A pattern of a foreign schema can block the process, so no schema of a server is ever run.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({
            valid: true,
            // oxlint-disable-next-line no-unsafe-type-assertion
            data: input as never,
            errorMessage: undefined,
          }),
        },
      },
    );
    const end = async () => {
      await transport.terminateSession().catch(() => {});
      await client.close();
    };
    const connection = new McpConnection(client, owners, timeoutMs, end);
    try {
      const timeout = timeoutMs + GRACE_MS;
      await connection.#owned(signal, async () => await client.connect(transport, { timeout }));
    } catch (error) {
      await client.close();
      throw error;
    }
    return connection;
  }

  async listTools(signal: AbortSignal): Promise<Tool[]> {
    const options = { signal, timeout: this.#timeoutMs + GRACE_MS, cacheMode: 'refresh' } as const;
    const list = async () => await this.#client.listTools(undefined, options);
    return (await this.#owned(signal, list)).tools;
  }

  async callTool(name: string, args: Fields, signal: AbortSignal): Promise<CallToolResult> {
    const options = { signal, timeout: this.#timeoutMs + GRACE_MS };
    const call = this.#owned(
      signal,
      async () => await this.#client.callTool({ name, arguments: { ...args } }, options),
    );
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  get callsEnded(): Promise<unknown> {
    return Promise.allSettled(this.#calls);
  }

  /** Ends running calls and the session at the server, and briefly waits for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    const owner = { signal: AbortSignal.timeout(GRACE_MS), fail: () => {} };
    this.#ended ??= this.#owners.run(owner, this.#end);
    await this.#ended;
  }

  async #owned<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
    const broken = Promise.withResolvers<never>();
    const stopped = () => broken.reject(signal.reason);
    signal.addEventListener('abort', stopped, { once: true });
    try {
      signal.throwIfAborted();
      const owner = { signal, fail: broken.reject };
      return await Promise.race([this.#owners.run(owner, action), broken.promise]);
    } finally {
      signal.removeEventListener('abort', stopped);
    }
  }
}
