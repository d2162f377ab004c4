import { type Client, isApiError } from '@session/client';

const PROJECT_NAME = 'First project';
const SESSION_NAME = 'First conversation';
const ECHO_ROLE = 'echo-agent';
const MAX_AGENTS = 20;

/** A conversation to go to. */
export interface StartedConversation {
  readonly sessionId: string;
  readonly projectId: string;
  /** Why its agent could not be started; null when it could. */
  readonly agentError: unknown;
}

/** Returns the user's *First project*, or whichever is the first; creates it if there is none. */
export async function firstProject(client: Client): Promise<string> {
  const { projectMemberships } = await client.auth.me();
  const first =
    projectMemberships.find(({ project }) => project.name === PROJECT_NAME) ??
    projectMemberships[0];
  if (first) return first.projectId;
  return (await client.projects.create({ name: PROJECT_NAME })).id;
}

/** Starts a conversation with the echo agent, which needs no keys. One that is open already is continued. */
export async function startConversation(
  client: Client,
  projectId: string,
): Promise<StartedConversation> {
  const { items } = await client.sessions.list(projectId, { status: 'ACTIVE' });
  const open = items.find(({ name }) => name === SESSION_NAME);
  const { id } = open ?? (await client.sessions.create(projectId, { name: SESSION_NAME }));
  return { sessionId: id, projectId, agentError: await startEcho(client, id) };
}

/** Starts the echo agent unless it is there. Returns why that failed, or null. */
async function startEcho(client: Client, sessionId: string): Promise<unknown> {
  try {
    const agents = await client.agents.list(sessionId).toArray({ limit: MAX_AGENTS });
    const isThere = agents.some(({ role, status }) => role === ECHO_ROLE && status !== 'Stopped');
    if (!isThere) await client.agents.start(sessionId, { role: ECHO_ROLE });
    return null;
  } catch (error) {
    return isApiError(error, 'agent_already_running') ? null : error;
  }
}
