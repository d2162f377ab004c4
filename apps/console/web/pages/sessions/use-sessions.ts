import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useService } from '../../service/service.ts';
import { type ListedStatus, newestQuery, sessionsQuery } from './sessions-query.ts';

export function useSessions(projectId: string, status?: ListedStatus) {
  const service = useService();
  const list = useInfiniteQuery(sessionsQuery(service.client, projectId, status));
  useQuery({ ...newestQuery(service, projectId, status), enabled: list.data !== undefined });
  const sessions = list.data?.pages.flatMap(({ items }) => items);
  return { ...list, sessions };
}
