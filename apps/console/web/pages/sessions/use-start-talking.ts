import { useNavigate } from '@tanstack/react-router';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { failureOf } from '../../ui/failure.ts';
import { toast } from '../../ui/toast.tsx';
import { inOneTab } from './in-one-tab.ts';
import { refreshLists } from './sessions-query.ts';
import { firstProject, startConversation } from './start-conversation.ts';

/** Returns what *Start talking* does: a conversation with the echo agent, in a project or in the user's first one. */
export function useStartTalking(): (projectId?: string) => Promise<void> {
  const { client, queries } = useService();
  const navigate = useNavigate();
  return async (given) => {
    const { sessionId, projectId, agentError } = await inOneTab('start talking', async () =>
      startConversation(client, given ?? (await firstProject(client))),
    );
    void queries.invalidateQueries({ queryKey: ME_KEY });
    void refreshLists(queries, projectId);
    const state = { isForWriting: true };
    await navigate({ to: '/sessions/$sessionId', params: { sessionId }, state });
    if (!agentError) return;
    const { title, detail } = failureOf(agentError);
    toast(`The echo agent could not be started. ${title}. ${detail}`, { tone: 'warning' });
  };
}
