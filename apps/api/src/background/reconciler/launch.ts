import { type AgentLaunch, findAgentType, LaunchRefused } from '@session/agents';
import { AgentConfig } from '@session/contract';
import type { LiveAgentRow, PlanTemplateQueries } from '@session/db';
import { agentToken, type MediaServer } from '@session/media';

export interface LaunchSource {
  readonly media: MediaServer;
  /** Whether agents get the media server's keys beside their token. */
  readonly hasMediaKeys: boolean;
  readonly planTemplates: Pick<PlanTemplateQueries, 'readPlanTemplate'>;
}

/**
 * Gives what starts the agent of a row: its type, and all that it is told, with a token for its session's room alone that
 * is good for `lifetimeSeconds`. Throws a LaunchRefused when there is no such type, or it needs more than `variables`.
 */
export async function launchOf(
  { id, sessionId, projectId, planId, role, config }: LiveAgentRow,
  variables: Readonly<Record<string, string>>,
  { media, hasMediaKeys, planTemplates }: LaunchSource,
  lifetimeSeconds: number,
): Promise<AgentLaunch> {
  const type = findAgentType(role);
  if (!type) {
    const detail = `There is no type of agent called ${role} any more.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }
  const missing = type.requiredVariables.filter((name) => variables[name] === undefined);
  if (missing.length > 0) {
    const detail = `It has no template any more that holds ${missing.join(', ')}.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }
  const plan = planId === null ? undefined : await planTemplates.readPlanTemplate(planId);
  const agent = { room: sessionId, role, agentId: id, lifetimeSeconds };
  const { token } = await agentToken(media, agent);
  const { echoMode } = AgentConfig.parse(config);
  const env = {
    ...variables,
    // What comes from us wins, whatever the template holds.
    MEDIA_URL: media.url,
    MEDIA_ROOM: sessionId,
    MEDIA_TOKEN: token,
    ...(hasMediaKeys && { MEDIA_API_KEY: media.apiKey, MEDIA_API_SECRET: media.apiSecret }),
    AGENT_ID: id,
    SESSION_ID: sessionId,
    PROJECT_ID: projectId,
    ...(echoMode && { ECHO_MODE: echoMode }),
    ...(plan && { PLAN: JSON.stringify(plan) }),
  };
  return { agentId: id, sessionId, projectId, type, env };
}
