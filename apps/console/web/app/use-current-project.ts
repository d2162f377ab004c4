import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { sessionQuery } from '../pages/session/session-queries.ts';
import { useMe } from '../service/me.ts';
import { onlyIf } from '../service/queries.ts';
import { useService } from '../service/service.ts';

export interface CurrentProject {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** Returns the project of the page: its own, or that of its session. Undefined on other pages, and until it is known. */
export function useCurrentProject(): CurrentProject | undefined {
  const { client } = useService();
  const { projectId, sessionId } = useParams({ strict: false });
  // The page of the session reads the session again whenever it may have changed.
  const { data: session } = useQuery({
    ...sessionQuery(client, sessionId ?? ''),
    ...onlyIf(sessionId !== undefined),
    refetchInterval: false,
    refetchOnWindowFocus: false,
  });
  const id = projectId ?? session?.projectId;
  const found = useMe()?.projectMemberships.find((membership) => membership.projectId === id);
  return found && { id: found.projectId, name: found.project.name, role: found.role };
}
