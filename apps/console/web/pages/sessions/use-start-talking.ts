import { type Client, isApiError } from '@session/client';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { failureSentence } from '../../ui/failure.ts';
import { toast } from '../../ui/toast.tsx';
import { agentsQuery, sessionQuery } from '../session/session-queries.ts';
import { refreshLists } from './sessions-query.ts';
import { usePreloadConversation } from './use-preload-conversation.ts';

const PROJECT_NAME = 'First project';
const SESSION_NAME = 'First conversation';
const ECHO_ROLE = 'echo-agent';

/**
 * Returns the action of *Start talking*: it starts a conversation with the echo agent in the given project, or else in one of
 * the user's. A user without a project gets one.
 */
export function useStartTalking(): (projectId?: string) => Promise<void> {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const { history } = useRouter();
  const preload = usePreloadConversation();
  const start = async (given: string | undefined, from: string): Promise<unknown> => {
    const projectId = given ?? (await firstProject(client));
    const { session, agentError } = await startConversation(client, projectId);
    const { id: sessionId } = session;
    queries.setQueryData(sessionQuery(client, sessionId).queryKey, session);
    void queries.invalidateQueries({ queryKey: ME_KEY });
    void refreshLists(queries, projectId);
    const state = { isForWriting: true };
    // The list of projects opens a new project by itself. A user who has opened another page stays there.
    const isWaiting = [from, `/projects/${projectId}`].includes(history.location.pathname);
    // The page opens while the agent is requested.
    if (isWaiting) await navigate({ to: '/sessions/$sessionId', params: { sessionId }, state });
    const error = await agentError;
    void queries.invalidateQueries(agentsQuery(client, sessionId));
    return error;
  };
  return async (given) => {
    preload();
    const from = history.location.pathname;
    const error = await inOneTab('start talking', async () => start(given, from));
    if (!error) return;
    toast(`The echo agent could not be started. ${failureSentence(error)}`, { tone: 'warning' });
  };
}

/**
 * Runs `work` while no other tab of this browser runs work of the same name, so that a tab finds what another one created.
 * Browsers have no locks outside of a secure context, and tabs do not wait for each other there.
 */
async function inOneTab<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? await navigator.locks.request(name, work) : await work();
}

async function firstProject(client: Client): Promise<string> {
  const { projectMemberships } = await client.auth.me();
  const first =
    projectMemberships.find(({ project }) => project.name === PROJECT_NAME) ??
    projectMemberships[0];
  if (first) return first.projectId;
  return (await client.projects.create({ name: PROJECT_NAME })).id;
}

/**
 * Starts a conversation with the echo agent, which needs no keys, or continues one that is open. `agentError` resolves with the
 * reason why no agent could be requested, or null.
 */
async function startConversation(client: Client, projectId: string) {
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
