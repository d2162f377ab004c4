import type { Session } from '@session/contract';
import { useMe, useRole } from '../../../service/me.ts';

interface Allowed {
  readonly mayClose: boolean;
  readonly mayDelete: boolean;
}

/** Returns what the user’s role allows. The API decides again: a role may have changed meanwhile. */
export function useAllowed({ projectId, createdBy }: Session): Allowed {
  const role = useRole(projectId);
  const me = useMe();
  const isLeader = role === 'ADMIN' || role === 'OWNER';
  return { mayClose: isLeader || createdBy === me?.id, mayDelete: isLeader };
}
