import { type AgentLaunch, findAgentType, LaunchRefused } from '@session/agents';
import { AgentConfig } from '@session/contract';
import type { LiveAgentRow } from '@session/db';
import { agentToken, type MediaServer } from '@session/media';

/**
 * Gives what starts the agent of a row: its type, and all that it is told, with a token for its session's room alone that
 * is good for `lifetimeSeconds`. Throws a LaunchRefused when there is no such type.
 */
export async function launchOf(
  { id, sessionId, projectId, role, config }: LiveAgentRow,
  media: MediaServer,
  lifetimeSeconds: number,
): Promise<AgentLaunch> {
  const type = findAgentType(role);
  if (!type) {
    const detail = `There is no type of agent called ${role} any more.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }
  const agent = { room: sessionId, role, agentId: id, lifetimeSeconds };
  const { token } = await agentToken(media, agent);
  const { echoMode } = AgentConfig.parse(config);
  const env = {
    MEDIA_URL: media.url,
    MEDIA_ROOM: sessionId,
    MEDIA_TOKEN: token,
    AGENT_ID: id,
    SESSION_ID: sessionId,
    PROJECT_ID: projectId,
    ...(echoMode && { ECHO_MODE: echoMode }),
  };
  return { agentId: id, type, env };
}
