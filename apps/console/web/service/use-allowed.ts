import { useMe, useRole } from './me.ts';
import { isAtLeast, mayEnd } from './permissions.ts';

/** A session, or an agent in a session of the project. */
interface Owned {
  readonly projectId: string | undefined;
  /** The id of the user who started it. */
  readonly createdBy: string;
}

interface Allowed {
  /** Whether the user may close the session or stop the agent. */
  readonly mayEnd: boolean;
  /** Whether the user may delete the session. */
  readonly mayDelete: boolean;
}

/** Returns what the user’s role allows. The API decides again: a role may have changed meanwhile. */
export function useAllowed({ projectId, createdBy }: Owned): Allowed {
  const role = useRole(projectId);
  const me = useMe();
  return { mayEnd: mayEnd(role, me?.id, createdBy), mayDelete: isAtLeast(role, 'ADMIN') };
}
