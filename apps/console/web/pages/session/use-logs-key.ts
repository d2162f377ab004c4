import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useService } from '../../service/service.ts';
import { usePageKeys } from './page-keys.ts';
import { agentsQuery } from './session-queries.ts';

/** L leads to the log of the newest agent. */
export function useLogsKey(sessionId: string): void {
  const { client } = useService();
  const navigate = useNavigate();
  const { data } = useQuery(agentsQuery(client, sessionId));
  usePageKeys(({ key }) => {
    const agentId = data?.[0]?.id;
    if (key.toLowerCase() !== 'l' || agentId === undefined) return;
    void navigate({ to: '/sessions/$sessionId/agents/$agentId', params: { sessionId, agentId } });
  });
}
