import { AgentConnection, examplesOf } from '@session/contract';
import { connectionLines } from '@session/contract/room';
import { templateEnvironment } from '@session/conversation/template';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { agentToken, packetPublicKey } from '@session/media/server';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { templateOfAgent } from './agent-templates.ts';
import { earlierConversation } from './conversation/earlier-conversation.ts';

export const LINES = z.string().meta({
  examples: examplesOf(AgentConnection).map((one) => connectionLines(AgentConnection.parse(one))),
});

type ExternalAgentRow = Pick<
  db.ShownAgentRow,
  'agentTemplateId' | 'agentTemplateVersion' | 'id' | 'planId' | 'role' | 'sessionId' | 'variables'
> & { readonly projectId: string };

/**
 * Returns the variables with which an external agent joins its room. The token is valid for ten minutes, and LiveKit renews
 * it; a Stopped agent is barred for longer.
 */
export async function connectionOf(
  agent: ExternalAgentRow,
  { config: { agents, media }, database }: Pick<Deps, 'config' | 'database'>,
): Promise<AgentConnection> {
  const { id, sessionId, projectId, planId, role } = agent;
  const plan = planId === null ? undefined : await db.readPlanTemplate(database, planId);
  const ofTemplate = await templateVariables(agent, database);
  const conversation = await earlierConversation(database, agent, agents.roles);
  const { token, expiresAt } = await agentToken(media, { room: sessionId, role, agentId: id });
  return {
    MEDIA_URL: media.publicUrl,
    MEDIA_TOKEN: token,
    MEDIA_ROOM: sessionId,
    MEDIA_PACKET_KEY: packetPublicKey(media),
    SESSION_ID: sessionId,
    AGENT_ID: id,
    PROJECT_ID: projectId,
    ...(plan && { PLAN: JSON.stringify(plan) }),
    ...ofTemplate,
    ...(conversation && { CONVERSATION: conversation }),
    expiresAt,
  };
}

/** Tools may name variables of environment templates, whose values this agent does not get. */
async function templateVariables(
  agent: ExternalAgentRow,
  database: db.DatabaseAccess,
): Promise<Record<string, string>> {
  if (agent.agentTemplateVersion === null) return {};
  const template = await templateOfAgent(database, agent);
  if (!template) {
    const detail = 'The agent template, or its version, was deleted. Start another agent.';
    throw new AppError('conflict', 'the agent template is gone', { detail });
  }
  return templateEnvironment(template, {});
}
