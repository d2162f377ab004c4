import type { AdminClient } from '@session/client/admin';
import { projectList } from '../../service/queries.ts';

const MAX_KEYS = 100;
const INTERVAL_MS = 30_000;

export function keysQuery({ apiKeys }: AdminClient, projectId: string) {
  const options = { max: MAX_KEYS, page: MAX_KEYS, refetchInterval: INTERVAL_MS };
  return projectList(projectId, 'api-keys', apiKeys.list, options);
}
