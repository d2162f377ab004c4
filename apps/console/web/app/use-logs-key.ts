import { useNavigate, useParams } from '@tanstack/react-router';
import { usePageKeys } from '../pages/session/page-keys.ts';
import { agentsQuery } from '../pages/session/session-queries.ts';
import { useService } from '../service/service.ts';
import { toast } from '../ui/toast.tsx';

/** Leads from a session to the logs of its agent by the key L: of one that has not stopped, or else of the newest. */
export function useLogsKey(): void {
  const { client, queries } = useService();
  const { sessionId, agentId } = useParams({ strict: false });
  const navigate = useNavigate();
  const openLogs = async (id: string) => {
    const agents = await queries.fetchQuery(agentsQuery(client, id));
    const agent = agents.find(({ status }) => status !== 'Stopped') ?? agents[0];
    if (!agent) return toast('No agent has been in this session, so there are no logs.');
    const to = '/sessions/$sessionId/agents/$agentId';
    return await navigate({ to, params: { sessionId: id, agentId: agent.id } });
  };
  usePageKeys(({ key, repeat }) => {
    if (key.toLowerCase() !== 'l' || repeat || !sessionId || agentId) return;
    openLogs(sessionId).catch(() => toast('The agents of this session could not be read.'));
  });
}
