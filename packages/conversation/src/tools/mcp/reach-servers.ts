import { createMask } from '@session/kit/mask';
import { type ToolContext, ToolExchange } from '../tool-exchange.ts';
import type { McpServerSettings, ToolSettings } from '../tool-settings.ts';
import { reasonOf } from './mcp-failures.ts';
import { offeredTools, openConnection, openLimit } from './offered-tools.ts';

const MAX_LISTED = 100;

export interface ReachedServer {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly reason?: string;
  /** The first hundred tools that the server offers, and all tools that are allowed. */
  readonly tools: readonly ReachedTool[];
}

interface ReachedTool {
  readonly name: string;
  readonly description: string;
  readonly digest: string;
  readonly selected: boolean;
}

/** Asks the MCP servers of an agent for their tools, once, as the agent would. Never throws. */
export async function reachServers(settings: ToolSettings): Promise<ReachedServer[]> {
  using exchange = new ToolExchange(settings, {});
  const context = { exchange, mask: await createMask(settings.secrets) };
  return await Promise.all(settings.mcpServers.map(async (server) => await reach(server, context)));
}

async function reach(server: McpServerSettings, context: ToolContext): Promise<ReachedServer> {
  const { name, tools: allowed } = server;
  const limit = await openLimit();
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    await using connection = await openConnection(server, context, limit);
    const offered = await offeredTools(connection, context, limit);
    const durationMs = took();
    const tools = offered.map((tool) => ({
      name: tool.name,
      description: tool.description,
      digest: tool.digest,
      selected: allowed.some(
        (one) => one.name === tool.name && (one.digest ?? tool.digest) === tool.digest,
      ),
    }));
    const isListed = ({ name: tool }: ReachedTool, index: number) =>
      index < MAX_LISTED || allowed.some((one) => one.name === tool);
    return { name, ok: true, durationMs, tools: tools.filter(isListed) };
  } catch (error) {
    return { name, ok: false, durationMs: took(), reason: reasonOf(error), tools: [] };
  }
}
