import { ModelFailure } from '../../model/model-failure.ts';
import type { ToolContext } from '../tool-exchange.ts';
import type { McpServerSettings } from '../tool-settings.ts';
import type { McpConnection } from './mcp-connection.ts';
import { type OfferedTool, offeredTool } from './mcp-tool.ts';

const OPEN_MS = 5000;

/**
 * Returns the time limit for connecting and listing. Loads the library first, so that a slow load does not shorten the
 * server's time. Only agents with servers load it.
 */
export async function openLimit(): Promise<AbortSignal> {
  await import('./mcp-connection.ts');
  return AbortSignal.timeout(OPEN_MS);
}

export async function openConnection(
  server: McpServerSettings,
  { exchange }: ToolContext,
  signal: AbortSignal,
): Promise<McpConnection> {
  const used = exchange.for(new URL(server.url));
  if (!used) throw new ModelFailure('refused', 'the address is neither http nor https');
  const loaded = await import('./mcp-connection.ts');
  return await loaded.McpConnection.open({ server, exchange: used }, signal);
}

export async function offeredTools(
  connection: McpConnection,
  { mask }: ToolContext,
  signal: AbortSignal,
): Promise<OfferedTool[]> {
  const tools = await connection.listTools(signal);
  return tools.flatMap((tool) => offeredTool(tool, mask) ?? []);
}
