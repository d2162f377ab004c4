import type { AgentPreflight } from '@session/contract';
import { type ReachedServer, reachServers, readToolSettings } from '@session/conversation/tools';
import type { Config } from '../../config.ts';

export type Reach = NonNullable<AgentPreflight['reach']>;

interface Reached {
  readonly reach?: Reach;
  readonly problems: AgentPreflight['problems'];
}

/**
 * Requests the tools of the MCP servers, as the agent would. Throws a StartError if the agent would not start with
 * `variables`.
 */
export async function reachMcpServers(
  variables: Readonly<Record<string, string>>,
  { toolNetworks, proxies }: Pick<Config['agents'], 'proxies' | 'toolNetworks'>,
): Promise<Reached> {
  const platform = { ...proxies, AGENT_TOOL_NETWORKS: toolNetworks.join(',') };
  const settings = readToolSettings({ ...variables, ...platform });
  if (!settings || settings.mcpServers.length === 0) return { problems: [] };
  const reached = await reachServers(settings);
  const problems = settings.mcpServers.flatMap(({ tools }, index) =>
    problemsOf(tools, reached[index]),
  );
  const mcpServers = reached.map(({ name, ok, durationMs, tools }) => ({
    name,
    ok,
    durationMs,
    tools: [...tools],
  }));
  return { reach: { mcpServers }, problems };
}

function problemsOf(
  allowed: readonly { readonly name: string; readonly digest?: string | undefined }[],
  server: ReachedServer | undefined,
): AgentPreflight['problems'] {
  if (!server) return [];
  const { name: serverName, ok, reason = '', tools } = server;
  if (!ok) {
    const detail = `The MCP server ${serverName} did not list its tools to the API: ${reason}. Check its URL and its headers in the agent template.`;
    return [{ code: 'mcp_unreachable', detail }];
  }
  return allowed.flatMap(({ name, digest }) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) {
      const detail = `The MCP server ${serverName} does not offer the tool ${name}, or the tool is too large. Remove the tool from the agent template.`;
      return [{ code: 'mcp_tool_missing', detail }];
    }
    if (digest === undefined || digest === tool.digest) return [];
    const detail = `The tool ${name} of the MCP server ${serverName} has changed since its digest was taken. Read its description, then put the new digest into the agent template.`;
    return [{ code: 'tools_changed', detail }];
  });
}
