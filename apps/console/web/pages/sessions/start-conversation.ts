import { type Client, isApiError } from '@session/client';
import type { Session } from '@session/contract';

const PROJECT_NAME = 'First project';
const SESSION_NAME = 'First conversation';
const ECHO_ROLE = 'echo-agent';

export interface StartedConversation {
  readonly session: Session;
  /** Resolves with the reason why no agent could be requested, or null. */
  readonly agentError: Promise<unknown>;
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
  const session = open ?? (await client.sessions.create(projectId, { name: SESSION_NAME }));
  const hasEcho = open?.agents.some(({ role }) => role === ECHO_ROLE) ?? false;
  return { session, agentError: hasEcho ? Promise.resolve(null) : startEcho(client, session.id) };
}

async function startEcho(client: Client, sessionId: string): Promise<unknown> {
  try {
    await client.agents.start(sessionId, { role: ECHO_ROLE });
    return null;
  } catch (error) {
    return isApiError(error, 'agent_already_running') ? null : error;
  }
}
