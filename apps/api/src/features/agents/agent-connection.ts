import { AgentConnection, AgentTemplateDefinition, examplesOf } from '@session/contract';
import { connectionLines } from '@session/contract/room';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { agentToken, packetPublicKey } from '@session/media/server';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { templateEnvironment } from '../agent-templates/filled-template.ts';
import { earlierConversation } from './conversation/earlier-conversation.ts';

/** The lines of a file `.env`, for answers as plain text. */
export const LINES = z.string().meta({
  examples: examplesOf(AgentConnection).map((one) => connectionLines(AgentConnection.parse(one))),
});

type ExternalAgentRow = Pick<
  db.ShownAgentRow,
  'agentTemplateId' | 'agentTemplateVersion' | 'id' | 'planId' | 'role' | 'sessionId' | 'variables'
> & { readonly projectId: string };

/**
 * Returns with what an external agent joins its room now. It may open its room for ten minutes, and longer while it is there: a
 * Stopped agent is barred for longer than that.
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

/** Names of variables of environment templates stand in tools, and no value of such a template anywhere. */
async function templateVariables(
  { id, agentTemplateId, agentTemplateVersion }: ExternalAgentRow,
  database: db.DatabaseAccess,
): Promise<Record<string, string>> {
  if (agentTemplateVersion === null) return {};
  const found = await db.readVersionOfAgent(database, id);
  if (!found || agentTemplateId === null) {
    const detail = 'The agent template, or its version, was deleted. Start another agent.';
    throw new AppError('conflict', 'the agent template is gone', { detail });
  }
  const definition = AgentTemplateDefinition.parse(found.definition);
  return templateEnvironment({ id: agentTemplateId, definition, values: found.variables }, {});
}
