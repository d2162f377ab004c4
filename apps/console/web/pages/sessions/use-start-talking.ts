import { useNavigate } from '@tanstack/react-router';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { failureOf } from '../../ui/failure.ts';
import { toast } from '../../ui/toast.tsx';
import { agentsQuery, sessionQuery } from '../session/session-queries.ts';
import { refreshLists } from './sessions-query.ts';
import { firstProject, startConversation } from './start-conversation.ts';
import { usePreloadConversation } from './use-preload-conversation.ts';

/** Returns what *Start talking* does: a conversation with the echo agent, in a project or in the user's first one. */
export function useStartTalking(): (projectId?: string) => Promise<void> {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const preload = usePreloadConversation();
  const start = async (given: string | undefined): Promise<unknown> => {
    const projectId = given ?? (await firstProject(client));
    const { session, agentError } = await startConversation(client, projectId);
    const { id: sessionId } = session;
    queries.setQueryData(sessionQuery(client, sessionId).queryKey, session);
    void queries.invalidateQueries({ queryKey: ME_KEY });
    void refreshLists(queries, projectId);
    const state = { isForWriting: true };
    // The page opens while the agent is requested.
    await navigate({ to: '/sessions/$sessionId', params: { sessionId }, state });
    const error = await agentError;
    void queries.invalidateQueries(agentsQuery(client, sessionId));
    return error;
  };
  return async (given) => {
    preload();
    const error = await inOneTab('start talking', async () => start(given));
    if (!error) return;
    const { title, detail } = failureOf(error);
    toast(`The echo agent could not be started. ${title}. ${detail}`, { tone: 'warning' });
  };
}

/**
 * Does `work` while no other tab of this browser does work of the same name: what one tab creates, the next finds. Outside of a
 * secure context browsers have no locks, and tabs do not wait for each other.
 */
async function inOneTab<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? await navigator.locks.request(name, work) : await work();
}
