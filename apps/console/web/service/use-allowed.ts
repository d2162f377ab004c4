import { useMe, useRole } from './me.ts';
import { isAtLeast, mayEnd } from './permissions.ts';

interface Owned {
  readonly projectId: string | undefined;
  readonly createdBy: string;
}

interface Allowed {
  readonly mayEnd: boolean;
  readonly mayDelete: boolean;
}

/** Returns what the user’s role allows. The API checks this again, because the role may have changed meanwhile. */
export function useAllowed({ projectId, createdBy }: Owned): Allowed {
  const role = useRole(projectId);
  const me = useMe();
  return { mayEnd: mayEnd(role, me?.id, createdBy), mayDelete: isAtLeast(role, 'ADMIN') };
}
