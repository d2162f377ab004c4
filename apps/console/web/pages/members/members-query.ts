import type { AdminClient } from '@session/client/admin';
import { projectList } from '../../service/queries.ts';

const LISTED = { max: 1000, page: 100, refetchInterval: 30_000 };

export function membersQuery({ members }: AdminClient, projectId: string) {
  return projectList(projectId, 'members', members.list, LISTED);
}

export function invitationsQuery({ invitations }: AdminClient, projectId: string) {
  return projectList(projectId, 'invitations', invitations.list, LISTED);
}
