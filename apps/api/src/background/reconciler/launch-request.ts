import {
  findAgentRole,
  LaunchDelayed,
  type LaunchRequest,
  requiredVariables,
  workloadIdOf,
} from '@session/agents';
import { AgentConfig, AgentDefinition } from '@session/contract';
import { type LiveAgentRow, readPlanTemplate } from '@session/db';
import { agentToken, packetPublicKey } from '@session/media/server';
import { earlierConversation } from '../../features/agents/conversation/earlier-conversation.ts';
import { badConfiguration } from '../../features/agents/template-variables.ts';
import { OF_AGENT_TEMPLATE } from '../../features/env-templates/agent-values.ts';
import { startTraceparent } from './start-trace.ts';
import type { SupervisionDeps } from './supervision.ts';

/**
 * Returns the request to start the agent of a row: its role, and its environment with a token that opens only the room
 * of its session. Throws a LaunchRefused when `variables` lack what the role needs. Throws a LaunchDelayed for an
 * unknown role, because during a rollout the next leader may have it.
 */
export async function launchRequestOf(
  row: LiveAgentRow,
  variables: Readonly<Record<string, string>>,
  deps: SupervisionDeps,
): Promise<LaunchRequest> {
  const { id, restarts, sessionId, projectId, planId, role: roleName, config } = row;
  const { database, media, agents } = deps;
  const { hasMediaKeys, proxies, speechUrl, toolNetworks } = agents;
  const role = findAgentRole(roleName, agents.roles);
  if (!role) {
    const detail = `The role ${roleName} does not exist. Start an agent with another role.`;
    throw new LaunchDelayed({ reason: 'bad_configuration', detail });
  }
  const missing = requiredVariables(role).filter((name) => variables[name] === undefined);
  if (missing.length > 0) {
    throw badConfiguration(
      `The agent’s environment template was deleted, or does not contain ${missing.join(', ')}. Start another agent with a complete template.`,
    );
  }
  const isConversing = role.conversation !== 'none';
  const conversation = isConversing && (await earlierConversation(database, row, agents.roles));
  const plan = planId === null ? undefined : await readPlanTemplate(database, planId);
  const agent = { room: sessionId, role: roleName, agentId: id };
  const { token } = await agentToken(media, agent);
  const { echoMode } = AgentConfig.parse(config);
  const env = {
    ...proxies,
    MEDIA_URL: media.url,
    MEDIA_ROOM: sessionId,
    MEDIA_TOKEN: token,
    MEDIA_PACKET_KEY: packetPublicKey(media),
    ...(hasMediaKeys && { MEDIA_API_KEY: media.apiKey, MEDIA_API_SECRET: media.apiSecret }),
    AGENT_ID: id,
    SESSION_ID: sessionId,
    PROJECT_ID: projectId,
    ...(echoMode && { ECHO_MODE: echoMode }),
    ...(plan && { PLAN: JSON.stringify(plan) }),
    ...agentTemplateEnv(variables),
    ...(conversation && { CONVERSATION: conversation }),
    ...(role.conversation === 'voice' && speechUrl && { AGENT_SPEECH_URL: speechUrl }),
    ...(isConversing && toolNetworks.length > 0 && { AGENT_TOOL_NETWORKS: toolNetworks.join(',') }),
    ...traceEnvOf(row, deps),
  };
  const workloadId = workloadIdOf(id, restarts);
  const ids = { workloadId, agentId: id, sessionId, projectId };
  return { ...ids, role, templateVariables: variables, env };
}

/** Returns those of `variables` that no role lists: the plan, the tools, and the values that tools send. */
function agentTemplateEnv(variables: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(OF_AGENT_TEMPLATE);
  const tools = variables['AGENT_DEFINITION'];
  if (tools) {
    const { hosts } = AgentDefinition.parse(JSON.parse(tools));
    for (const name of Object.keys(hosts)) names.add(name);
  }
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
}

function traceEnvOf(row: LiveAgentRow, { agents }: SupervisionDeps): Record<string, string> {
  const traceparent = startTraceparent(row);
  if (traceparent === undefined) return {};
  return { ...agents.traceVariables, TRACEPARENT: traceparent };
}
