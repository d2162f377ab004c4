import type { AdminClient } from '@session/client/admin';
import { projectList } from '../../service/queries.ts';

const SHOWN = 200;
const OPEN_INTERVAL_MS = 2000;
const INTERVAL_MS = 30_000;

export function erasuresQuery({ erasures }: AdminClient, projectId: string) {
  return projectList(projectId, 'erasures', erasures.list, {
    max: SHOWN,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status !== 'done') ? OPEN_INTERVAL_MS : INTERVAL_MS,
  });
}
